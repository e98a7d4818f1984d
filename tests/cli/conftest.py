"""The command line as a function."""

import pytest

from suite.cli import main


@pytest.fixture
def hxconf(capsys):
    """Run a command; return exit code, output lines and error text."""

    def hxconf(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out.splitlines(), captured.err

    return hxconf
