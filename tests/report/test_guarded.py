"""What others do to a file while it is written."""

import os
import tempfile
from pathlib import Path

import pytest

from suite.report.guarded import GuardedFile


def deleted(path):
    path.unlink()


def folder_deleted(path):
    path.unlink()
    path.parent.rmdir()


def truncated(path):
    os.truncate(path, 0)


def cut(path):
    os.truncate(path, 3)


def appended(path):
    with path.open("ab") as file:
        file.write(b"garbage\n" * 10)


def replaced(path):
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)


def replaced_by_a_pipe(path):
    path.unlink()
    os.mkfifo(path)


def replaced_by_a_link_to_a_pipe(path):
    path.unlink()
    pipe = path.parent.parent / "pipe"
    os.mkfifo(pipe)
    path.symlink_to(pipe)


def edited(path):
    data = path.read_bytes()
    with path.open("r+b") as file:
        file.write(data.replace(b"fail", b"pass"))


DAMAGE = [
    (deleted, "deleted during the run"),
    (folder_deleted, "deleted during the run"),
    (truncated, "changed by others during the run"),
    (cut, "changed by others during the run"),
    (appended, "changed by others during the run"),
    (replaced, "another file took its place during the run"),
    (replaced_by_a_pipe, "another file took its place during the run"),
    (replaced_by_a_link_to_a_pipe, "another file took its place during the run"),
    (edited, "changed by others during the run"),
]


@pytest.mark.parametrize(("act", "says"), DAMAGE, ids=[act.__name__ for act, _ in DAMAGE])
def test_it_is_told_and_undone(tmp_path, act, says):
    path = tmp_path / "folder" / "file"
    file = GuardedFile(path)
    file.write(b"fail\n")
    mode = path.stat().st_mode
    act(path)
    file.write(b"more\n")
    damage = file.finish()

    assert f"{path}: {says}; it was written again" == damage
    assert b"fail\nmore\n" == path.read_bytes()
    assert ([path], mode) == (list(path.parent.iterdir()), path.stat().st_mode)


def test_what_cannot_be_undone_is_kept_under_another_name(tmp_path):
    path = tmp_path / "file"
    file = GuardedFile(path)
    file.write(b"data")
    path.unlink()
    path.mkdir()
    damage = file.finish()
    (kept,) = (found for found in tmp_path.iterdir() if found != path)

    assert b"data" == kept.read_bytes()
    assert f"; what was written is in {kept}: " in damage


def folder_replaced_by_a_file(path):
    path.unlink()
    path.parent.rmdir()
    path.parent.touch()


def folder_replaced_by_a_lost_link(path):
    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to("nowhere/at/all")


@pytest.mark.parametrize("act", [folder_replaced_by_a_file, folder_replaced_by_a_lost_link])
def test_what_has_no_folder_any_more_is_kept_in_another(tmp_path, monkeypatch, act):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    path = tmp_path / "folder" / "results.jsonl"
    file = GuardedFile(path)
    file.write(b"data")
    act(path)
    damage = file.finish()
    (kept,) = elsewhere.iterdir()

    assert b"data" == kept.read_bytes()
    assert (".jsonl", f"; what was written is in {kept}: File exists") == (
        kept.suffix,
        damage[damage.index("; ") :],
    )


def test_nothing_is_told_of_a_file_that_nobody_touched(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("file")
    file = GuardedFile(link)
    file.write(b"data")

    assert ("", True, b"data") == (file.finish(), link.is_symlink(), link.read_bytes())


def test_nothing_is_read_back_where_that_cannot_be_done():
    file = GuardedFile(Path(os.devnull))
    file.write(b"data")

    assert "" == file.finish()
