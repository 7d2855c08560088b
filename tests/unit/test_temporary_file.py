"""Files without names: how much may go there, and what is said where the disk has no room for it."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from madtree.errors import MadtreeError
from madtree.host.temporary_file import ScratchFile, SpillFile, TemporaryFile
from madtree.host.temporary_place import TemporaryPlace

MEGABYTE = 2**20
full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")


def open_files() -> dict[str, os.stat_result]:
    """Those of madtree's that this process has open."""
    found = {}
    for path in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if "madtree_" in os.readlink(path):
                found[path.name] = path.stat()
    return found


@pytest.fixture(scope="module", autouse=True)
def _others() -> None:
    """What the tests before keep need not be walked again by each of these."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _nothing_open() -> Iterator[None]:
    """An error that was caught and the files of its test refer to each other: Python finds such only now and then."""
    gc.collect()
    yield
    gc.collect()


@pytest.fixture
def place(tmp_path: Path) -> TemporaryPlace:
    return TemporaryPlace(str(tmp_path), None)


def test_files_have_no_names_and_go_when_nobody_has_them(place: TemporaryPlace, tmp_path: Path) -> None:
    files = [TemporaryFile.create(place, "row data") for _ in range(5)]
    assert list(tmp_path.iterdir()) == []
    files[0].close()
    assert len(open_files()) == 4
    del files
    assert not open_files()


def test_what_was_written_is_read(place: TemporaryPlace) -> None:
    file = TemporaryFile.create(place, "row data")
    file.write(b"behind", 5)
    file.write(b"front", 0)
    mapped = file.mapped(11)
    file.write(b"", 3)
    assert (file.read(6, 5), file.read(0, 99), bytes(mapped)) == (b"behind", b"", b"frontbehind")
    with pytest.raises(EOFError, match="row data has been cut short"):
        file.read(7, 5)
    assert len(file.mapped(0)) == 0


def test_what_was_spilled_is_read(place: TemporaryPlace) -> None:
    file = SpillFile(place, "row data")
    parts = [bytes([i]) * (i * 37) for i in range(1, 9)]
    spans = [file.write(part) for part in parts]
    assert [bytes(file.read(span)) for span in spans] == parts
    late = file.write(b"later")
    assert bytes(file.read(late)) == b"later"
    assert [bytes(file.read(span)) for span in spans] == parts
    assert all(start % 8 == 0 for start, _ in spans)


def test_what_was_spilled_may_be_written_over(place: TemporaryPlace) -> None:
    """Whoever has read it before sees that."""
    file = SpillFile(place, "row data")
    first, other = file.write(b"first"), file.write(b"other")
    before = file.read(first)
    file.write(bytes(10_000))
    file.read(first)[:] = b"again"
    assert (bytes(before), bytes(file.read(first)), bytes(file.read(other))) == (b"again", b"again", b"other")


def test_no_more_is_spilled_than_the_limit_says(tmp_path: Path) -> None:
    file = SpillFile(TemporaryPlace(str(tmp_path), 1024), "row data")
    file.write(bytes(1000))
    with pytest.raises(MadtreeError, match=r"temporary file size exceeds temp_file_limit \(1kB\)") as error:
        file.write(bytes(100))
    assert error.value.sqlstate == "53400"


@pytest.mark.parametrize("n_bytes", [0, 1, 5000, 33 * MEGABYTE + 1])
@pytest.mark.parametrize("allocates", [True, False], ids=["allocated", "written"])
def test_room_is_made_for_every_byte(
    place: TemporaryPlace, monkeypatch: pytest.MonkeyPatch, n_bytes: int, allocates: bool
) -> None:
    """Also where the system has no call for it."""
    if not allocates:
        monkeypatch.delattr(os, "posix_fallocate")
    file = TemporaryFile.create(place, "row data")
    file.make_room(n_bytes)
    found = os.fstat(file.descriptor)
    assert found.st_size == n_bytes
    assert found.st_blocks * 512 >= n_bytes


def test_room_for_mapped_bytes_is_there_before_they_are_written(place: TemporaryPlace) -> None:
    """A process that finds none while it writes to them is killed by SIGBUS."""
    scratch = ScratchFile(place, 5 * MEGABYTE, "row data")
    (found,) = open_files().values()
    assert len(scratch) == found.st_size == 5 * MEGABYTE
    assert found.st_blocks * 512 >= 5 * MEGABYTE


def test_the_limit_is_asked_before_the_disk(tmp_path: Path) -> None:
    with pytest.raises(MadtreeError, match="temp_file_limit") as error:
        ScratchFile(TemporaryPlace(str(tmp_path), MEGABYTE), 2**60, "row data")
    assert error.value.sqlstate == "53400"


@full
@pytest.mark.parametrize(("n_bytes", "size"), [(1, "1 kB"), (5000, "5 kB"), (3 * MEGABYTE // 2, "1.5 MB")])
@pytest.mark.parametrize(("directory", "setting"), [(None, "TMPDIR"), ("base/pgsql_tmp", "temp_tablespaces")])
def test_a_full_disk_is_told(directory: str | None, setting: str, n_bytes: int, size: str) -> None:
    """What was written, how large it would have become, and what to do."""
    file = TemporaryFile(os.open("/dev/full", os.O_RDWR), TemporaryPlace(directory, None), "row data")
    with pytest.raises(MadtreeError) as error:
        file.write(b"x", n_bytes - 1)
    said = f"there is no room on the disk for a temporary file of {size} with row data: No space left on device"
    assert (error.value.sqlstate, error.value.message) == ("53100", said)
    assert f"set {setting} to" in (error.value.hint or "")


@full
def test_room_that_cannot_be_made_is_told_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_fallocate")  # which a device has not
    file = TemporaryFile(os.open("/dev/full", os.O_RDWR), TemporaryPlace(None, None), "row data")
    with pytest.raises(MadtreeError, match=r"a temporary file of 40\.0 MB with row data"):
        file.make_room(40 * MEGABYTE)
