"""What the command line is given: documents, their companions, and plans, read from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from reference_runtime.document.model import Harness
from reference_runtime.plan_files import plan_from_text
from reference_runtime.plans import Plan, PlanError
from reference_runtime.public_plans import read_public_plan
from reference_runtime.validation import validate

__all__ = ["GivenError", "read_companions", "read_file", "read_plan_of"]


#: What is in every document that names others.
_NAME = b"subworkflow"


class GivenError(Exception):
    """A file cannot be read or is no plan; one line."""


def read_file(path: Path) -> bytes:
    """Content of a file.

    Raises:
        GivenError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise GivenError(f"{path}: {error.strerror}") from error


def _text(path: Path) -> str:
    try:
        return read_file(path).decode()
    except UnicodeDecodeError as error:
        raise GivenError(f"{path}: not UTF-8 at byte {error.start}") from error


def read_plan_of(plan: Path | None, public_plan: Path | None, harness: Harness) -> Plan:
    """Read the plan that was named; without one every node succeeds with default outputs.

    Raises:
        GivenError: it cannot be read, or is none.
    """
    path = plan or public_plan
    if path is None:
        return read_public_plan("", harness)
    text = _text(path)
    try:
        if public_plan is not None:
            return read_public_plan(text, harness)
        return plan_from_text(text, path.suffix, harness)
    except PlanError as error:
        raise GivenError(f"{path}: {error}") from error


def _joined(base: str, href: str) -> str:
    """Relative URI of a document that another one names; empty for none, or for another URI."""
    try:
        uri = urljoin(base, href) if href else ""
        return "" if urlsplit(uri).scheme or uri.startswith("/") else uri
    except ValueError:
        # Brackets that hold no address.
        return ""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # A name may be too long for a file.
        return False


def read_companions(document: Path, content: bytes, named: Sequence[str]) -> dict[str, bytes]:
    """Read the documents that subworkflows may name.

    Those that were named as ``URI=FILE``, and files that relative URIs lead to, from the main
    document on; files that are not there are left out, nothing is fetched.

    Raises:
        GivenError: one that was named cannot be read.
    """
    found: dict[str, bytes] = {}
    for text in named:
        uri, equals, path = text.rpartition("=")
        if not equals or not uri:
            raise GivenError(f"--companion: expected URI=FILE, observed {text!r}")
        found[uri] = read_file(Path(path))
    waiting = [("", content), *found.items()]
    for base, document_content in waiting:
        harness = validate(document_content).harness if _NAME in document_content else None
        for node in harness.nodes if harness else ():
            href = node.subworkflow.href if node.subworkflow else ""
            uri = href if href in found else _joined(base, href)
            if not uri or uri in found:
                continue
            path_there = document.parent / uri
            if _is_file(path_there):
                found[uri] = read_file(path_there)
                waiting.append((uri, found[uri]))
    return found
