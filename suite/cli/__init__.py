"""The command ``hxconf``: one module per subcommand, imported when it is called."""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from suite.cli.words import UsageError, flush, open_streams, say
from suite.verdict.status import EXIT

__all__ = ["COMMANDS", "main"]

#: command → (module, what it does). Each module has ``main(arguments) -> exit code``.
COMMANDS: Final = {
    "certify": ("suite.cli.certify", "run the whole corpus; write results, report and badge"),
    "list": ("suite.cli.listing", "list scenarios, all or those that match"),
    "case": ("suite.cli.case", "show a case: document, plans, goldens, and what they cite"),
    "new-adapter": ("suite.cli.new_adapter", "write a skeleton with its test and CI file"),
    "smoke": ("suite.cli.smoke", "run eight scenarios; say what to write next"),
    "validate": ("suite.cli.validate", "say what is wrong with documents of your own"),
    "run": ("suite.cli.run", "execute a document of your own; show states or the trace"),
    "requirements": ("suite.cli.requirements", "list the sentences, and what shows each"),
    "compare": ("suite.cli.compare", "judge a recorded trace without a runtime"),
    "rejudge": ("suite.cli.rejudge", "judge recorded runs again, without a runtime"),
    "badge": ("suite.cli.badge", "draw the badge of recorded results"),
    "selfcheck": ("suite.cli.selfcheck", "check the corpus itself"),
    "deviants": ("suite.cli.deviants", "measure the corpus by runtimes that are wrong in one way"),
    "controls": ("suite.cli.controls", "measure the corpus by runtimes that only pretend"),
}

_HELP: Final = """\
hxconf: conformance of workflow runtimes that implement HarnessXML 1.0

usage: hxconf COMMAND …        hxconf COMMAND --help tells more

{commands}

Every day, during development:

  pytest --runtime=adapter:pkg.mod:attribute -k joins --lf
  pytest --runtime="cmd:./my-runtime --adapter" -x

exit codes: 0 all passed, 1 something failed, 2 interrupted, 3 fault of the suite, 4 usage
or the adapter did not start, 5 nothing selected or executed, 6 incomplete (certify)"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the return value is the exit code."""
    open_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _answer(words)
    except UsageError as error:
        sys.stderr.write(f"hxconf: {' '.join(str(error).split())}\n")
        return EXIT["usage"]
    except KeyboardInterrupt:
        sys.stderr.write("hxconf: interrupted\n")
        return EXIT["interrupted"]


def _answer(words: Sequence[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        width = max(map(len, COMMANDS))
        say(
            _HELP.format(
                commands="\n".join(f"  {n:<{width}}  {text}" for n, (_, text) in COMMANDS.items())
            )
        )
        code = EXIT["ok"] if words else EXIT["usage"]
    else:
        code = _run(*words)
    flush()
    return code


def _run(name: str, *arguments: str) -> int:
    if name not in COMMANDS:
        raise UsageError(f"no command {name!r}; there are {', '.join(COMMANDS)}")
    return int(import_module(COMMANDS[name][0]).main(arguments))
