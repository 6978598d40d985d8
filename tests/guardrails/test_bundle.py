"""The rules of a bundle, on both sides of the upload."""

import io
import stat
import warnings
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.bundle import BundleFiles, BundleProblems, check_names, content_type, name_problem, read_bundle
from guardrails.wire import Limits

LIMITS = Limits(files=4, file_bytes=1000, total_bytes=2000)
INDEX = ("index.html", 10)


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w", compression) as archive:
        warnings.simplefilter("ignore")  # a name twice is what one test is about
        for name, content in entries:
            archive.writestr(name, content)
    return packed.getvalue()


def link(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    "name", ["index.html", "a/b/c/d/e.css", "_x.js", "img/Photo-1.final.JPG", "9.svg", "a.b-c_d.webmanifest"]
)
def test_a_plain_name_is_fine(name: str) -> None:
    """Letters, digits, a few signs, a known type, not too deep."""
    assert name_problem(name) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "characters"),
        ("x" * 130 + ".js", "characters"),
        ("../../.github/workflows/x.js", "absolute"),
        ("/etc/cron.d/x.js", "absolute"),
        ("a/../../b.js", "absolute"),
        ("a/./b.js", "absolute"),
        ("a//b.js", "absolute"),
        ("a/", "absolute"),
        ("C:/x.js", "only letters"),
        ("..\\x.js", "hidden"),
        ("a\\b.js", "only letters"),
        (".env.js", "hidden"),
        ("a/.git/x.js", "hidden"),
        ("con.js", "device"),
        ("a/NUL.tar.js", "device"),
        ("com1/x.js", "device"),
        ("x\u202egnp.html", "only letters"),
        ("x\x00.html", "only letters"),
        ("x\n.html", "only letters"),
        ("x.html\n", "only letters"),
        ("é.html", "only letters"),
        ("a b.html", "only letters"),
        ("a./b.html", "only letters"),
        ("-x.js", "only letters"),
        ("a/b/c/d/e/f.js", "folders deep"),
        ("run.sh", "type"),
        ("index", "type"),
        ("x.php", "type"),
    ],
)
def test_a_name_that_could_hurt_is_refused(name: str, problem: str) -> None:
    """Traversal, hidden files, devices, hidden characters, depth and types each have their sentence."""
    assert problem in (name_problem(name) or "")


def test_every_broken_rule_is_told_at_once() -> None:
    """Sizes, count, clashes and the missing index."""
    problems = check_names([("INDEX.html", 1), ("Index.HTML", 1001), ("a/b.js", 1), ("A/c.js", 1), ("e.js", 1)], LIMITS)

    assert [
        "5 files, more than the 4 allowed",
        "'Index.HTML': 1001 bytes, more than the 1000 allowed for a file",
        "'Index.HTML': the same name twice, upper and lower case aside",
        "'A/c.js': a folder spelled in two ways",
        "there is no index.html",
    ] == problems


def test_files_that_are_too_much_together_are_refused() -> None:
    """Each is small enough, all of them are not."""
    problems = check_names([INDEX, ("a.js", 1000), ("b.js", 1000)], LIMITS)

    assert ["2010 bytes in all, more than the 2000 allowed"] == problems


def test_a_name_cannot_be_a_file_and_a_folder() -> None:
    """One of them could not be written."""
    assert ["'a.js': both a file and a folder"] == check_names([INDEX, ("a.js", 1), ("A.js/b.js", 1)], LIMITS)


def test_a_name_in_a_problem_is_safe_to_print() -> None:
    """Escapes and direction marks are spelled out, and a long name is cut."""
    problems = check_names([INDEX, ("\x1b[2J\u202e" + "x" * 300, 1)], LIMITS)

    assert all(problem.isprintable() and problem.isascii() and len(problem) < 200 for problem in problems)


def test_a_good_bundle_is_read() -> None:
    """Names and contents, sorted."""
    bundle = read_bundle(zipped(("js/a.js", b"1"), ("index.html", b"<p>")), LIMITS)

    assert BundleFiles({"index.html": b"<p>", "js/a.js": b"1"}) == bundle


@pytest.mark.parametrize(
    ("archive", "problem"),
    [
        (b"", "cannot be read"),
        (b"PK\x05\x06", "cannot be read"),
        (b"x" * 5000, "bytes, more than"),
        (zipped(("index.html", b"x"), (link("img.svg"), b"/")), "symbolic link"),
        (zipped(("index.html", b"x"), ("INDEX.html", b"y")), "same name twice"),
        (zipped(("index.html", b"x"), ("index.html", b"y")), "same name twice"),
        (zipped(("index.html", b"x"), ("/etc/x.js", b"y")), "absolute"),
        (zipped(("index.html", b"x"), ("a/", b"")), "not a plain file"),
        (zipped(("index.html", b"\0" * 100_000)), "more than the 1000"),
        (zipped(("a.js", b"x")), "no index.html"),
        (zipped(("index.html", b"x"), compression=zipfile.ZIP_BZIP2), "compression"),
        (zipped(("index.html", b"x"), ("a.html_.js", b"y")).replace(b"a.html_", b"a.html\x00"), "only letters"),
    ],
    ids=range(12),
)
def test_a_bad_bundle_is_refused(archive: bytes, problem: str) -> None:
    """Whatever is wrong with it, the answer is a sentence and not an exception."""
    bundle = read_bundle(archive, LIMITS)

    assert isinstance(bundle, BundleProblems)
    assert problem in "; ".join(bundle.problems)


def test_an_encrypted_entry_is_refused() -> None:
    """It could not be looked at."""
    archive = bytearray(zipped(("index.html", b"x")))
    at = archive.index(b"PK\x01\x02")
    archive[at + 8] |= 1

    assert isinstance(bundle := read_bundle(bytes(archive), LIMITS), BundleProblems)
    assert ["'index.html': encrypted"] == list(bundle.problems)


def test_a_bomb_that_lies_about_its_size_is_not_unpacked() -> None:
    """Ten million bytes that are declared as ten: no more than declared is ever read."""
    archive = bytearray(zipped(("index.html", b"\0" * 1_000_000)))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = archive.index(mark) + offset
        archive[at : at + 4] = (10).to_bytes(4, "little")

    assert isinstance(read_bundle(bytes(archive), LIMITS), BundleProblems)


def test_an_entry_that_is_shorter_than_declared_is_refused() -> None:
    """Its checksum fits what is there, its size does not."""
    archive = bytearray(zipped(("index.html", b"x"), compression=zipfile.ZIP_STORED))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        archive[archive.index(mark) + offset] = 2

    assert isinstance(bundle := read_bundle(bytes(archive), LIMITS), BundleProblems)
    assert ["'index.html': not the size that the archive declares"] == list(bundle.problems)


@given(st.binary(max_size=400), st.integers(0, 200), st.integers(0, 400))
def test_any_bytes_give_an_answer(noise: bytes, start: int, end: int) -> None:
    """Damaged archives are refused or read, never an exception."""
    whole = zipped(("index.html", b"<p>hello" * 20), ("a/b.css", b"p{}"))

    assert isinstance(read_bundle(whole[:start] + noise + whole[end:], LIMITS), BundleFiles | BundleProblems)


@given(st.lists(st.tuples(st.text(), st.integers()), max_size=8))
def test_any_names_give_an_answer(entries: list[tuple[str, int]]) -> None:
    """And every problem is one line of plain characters."""
    assert all(problem.isascii() and problem.isprintable() for problem in check_names(entries, LIMITS))


def test_each_type_is_served_as_what_it_is() -> None:
    """Unknown ones as bytes only."""
    assert "text/html; charset=utf-8" == content_type("a/index.HTML")
    assert "application/octet-stream" == content_type("x.exe")
