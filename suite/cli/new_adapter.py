"""``hxconf new-adapter``: a working skeleton of an adapter, with its own test and CI file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from suite.cli.words import Arguments, UsageError, say
from suite.verdict.status import EXIT

__all__ = ["TEMPLATES", "main"]

_HERE: Final = Path(__file__).with_name("templates")


class _Template(NamedTuple):
    """Files of one language.

    Attributes:
        files: name in ``templates`` → name in the new folder.
        target: value of ``--runtime`` in that folder.
        test: command that tests the adapter alone.
    """

    files: dict[str, str]
    target: str
    test: str


_WORKFLOW: Final = {"conformance.yml": ".github/workflows/conformance.yml"}

#: Language → what is written for it.
TEMPLATES: Final = {
    "python": _Template(
        {"skeleton.py": "skeleton.py", "test_skeleton.py": "test_skeleton.py", **_WORKFLOW},
        "skeleton:Adapter",
        "python -m unittest",
    ),
    "node": _Template(
        {"skeleton.js": "skeleton.js", "skeleton.test.js": "skeleton.test.js", **_WORKFLOW},
        "cmd:node skeleton.js",
        "node --test",
    ),
}


def main(arguments: Sequence[str]) -> int:
    """Write the files and say how to go on; nothing that exists is overwritten."""
    parser = Arguments("new-adapter", "Write a working skeleton with its test and CI file.")
    parser.add_argument("--lang", choices=sorted(TEMPLATES), required=True)
    parser.add_argument("folder", metavar="DIR", type=Path)
    options = parser.parse_args(arguments)
    template = TEMPLATES[options.lang]
    places = {_HERE / options.lang / a: options.folder / b for a, b in template.files.items()}
    there = [str(path) for path in places.values() if path.exists()]
    if there:
        raise UsageError(f"new-adapter: {there[0]} exists; nothing was written")
    try:
        for source, path in places.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source.read_bytes())
            say(f"written: {path}")
    except OSError as error:
        raise UsageError(f"new-adapter: {error.filename}: {error.strerror}") from error
    say("")
    say(f"cd {options.folder}")
    say(f"{template.test}    # the adapter alone")
    say(f'hxconf smoke --runtime="{template.target}"    # eight scenarios, and what to write next')
    say(f'pytest --runtime="{template.target}" -k joins    # then the corpus, topic by topic')
    return EXIT["ok"]
