"""Write the JSON Schemas, or say which of them are out of date."""

import argparse
import sys

from suite.corpus.schemas import outdated, write_schemas

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Return 0 when the schemas are current, 1 when not."""
    parser = argparse.ArgumentParser(prog="python -m suite.corpus.schemas", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="write them")
    what.add_argument("--check", action="store_true", help="say which are out of date")
    options = parser.parse_args(arguments)
    if options.write:
        write_schemas()
    wrong = outdated()
    for name in wrong:
        print(f"suite/corpus/schemas/{name}.json is out of date")  # noqa: T201  for its user
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
