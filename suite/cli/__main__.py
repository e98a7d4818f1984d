"""``python -m suite.cli`` is ``hxconf``."""

import sys

from suite.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
