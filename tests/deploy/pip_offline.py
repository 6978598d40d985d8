"""In place of pip, where an image installs a lock: links the very versions of the tests' own environment.

It takes the options that the container files use and no other. Stands alone: it is run within the root of an image.
"""

import argparse
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

_PIN = re.compile(r"^([a-z0-9._-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


def install(lock: Path, into: Path) -> None:
    """Link each package of a lock that has nothing but pins with hashes; SystemExit when one is not installed here."""
    text = lock.read_text(encoding="utf-8")
    pins = _PIN.findall(text)
    if re.sub(r"^#.*\n", "", _PIN.sub("", text), flags=re.MULTILINE).strip() or not pins:
        sys.exit(f"{lock}: not only pins with hashes")
    for name, version, _ in pins:
        try:
            there = distribution(name)
        except PackageNotFoundError:
            sys.exit(f"{name} is not installed here")
        if there.version != version:
            sys.exit(f"{name} is {there.version} here and {version} in {lock}")
        for file in {_whole(Path(str(there.locate_file(""))), Path(file)) for file in there.files or ()}:
            if ".." in file.parts or (into / file).is_symlink():
                continue
            (into / file).parent.mkdir(parents=True, exist_ok=True)
            (into / file).symlink_to(Path(str(there.locate_file(""))) / file)


def _whole(packages: Path, file: Path) -> Path:
    """The folder that a file is in, where it is one package's alone; else the file."""
    top = Path(file.parts[0])
    alone = (packages / top / "__init__.py").exists() or top.suffix in (".dist-info", ".libs")
    return top if alone else file


def main() -> None:
    """As pip is called."""
    parser = argparse.ArgumentParser(prog="pip", allow_abbrev=False)
    parser.add_argument("--python", type=Path, required=True)
    parser.add_argument("command", choices=["install"])
    parser.add_argument("--require-hashes", action="store_true", required=True)
    parser.add_argument("--requirement", type=Path, required=True)
    told = parser.parse_args()
    [packages] = (told.python.parent.parent / "lib").glob("python3*/site-packages")
    install(told.requirement, packages)


if __name__ == "__main__":
    main()
