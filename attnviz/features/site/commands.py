"""The command that writes the static site."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from attnviz.commands import Parser
from attnviz.features.site.whole import site_files

LIST = "files.txt"  # the names of the files that were written, so that the next time those that are gone are removed


def site(arguments: Sequence[str]) -> int:
    """Write the site into a folder, and print its size."""
    parser = Parser("site")
    parser.add("dir", type=Path)
    parser.add("--app", default="", metavar="URL")
    parser.add("--address", default="", metavar="URL")
    parser.add("--source", default="", metavar="URL")
    given = parser.parse_args(arguments)
    for name in ("app", "address", "source"):
        check_address(name, getattr(given, name))
    before = written_before(given.dir)
    files = site_files(app=given.app, address=given.address, source=given.source)
    names = "".join(f"{name}\n" for name in files).encode()
    for name, written in ({LIST: names} | files).items():  # the list first: an interrupted run leaves no foreign files
        file = given.dir / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(written)
    for name in before - files.keys():
        (given.dir / name).unlink(missing_ok=True)
    print(f"{given.dir / 'index.html'}: {len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB")
    return 0


def written_before(folder: Path) -> set[str]:
    """Return the names of the files that the command wrote here before.

    Raises ``ValueError`` for a folder that holds other files, or where nothing can be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / LIST).touch()
    except OSError as error:
        raise ValueError(f"dir is {str(folder)!r}, expected a folder to write into: {error.strerror}") from error
    names = (folder / LIST).read_text(encoding="utf-8").splitlines()
    if not names and any(file.name != LIST for file in folder.iterdir()):
        (folder / LIST).unlink()
        raise ValueError(
            f"dir is {str(folder)!r}, which holds other files, expected an empty folder or an earlier site"
        )
    return {name for name in names if (folder / name).resolve().is_relative_to(folder.resolve())}


def check_address(name: str, address: str) -> None:
    """Raise ``ValueError`` for what is no address of the web."""
    parts = urlsplit(address)
    if address and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment):
        raise ValueError(
            f"--{name} is {address!r}, expected an address that begins with https:// or http://, without ? and #"
        )
