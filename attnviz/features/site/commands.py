"""The command that writes the static site."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from attnviz.commands import Parser
from attnviz.features.site.whole import site_files


def site(arguments: Sequence[str]) -> int:
    """Write the site into a folder, and print its size."""
    parser = Parser("site")
    parser.add("dir", type=Path)
    parser.add("--app", default="", metavar="URL")
    parser.add("--address", default="", metavar="URL")
    given = parser.parse_args(arguments)
    for name in ("app", "address"):
        check_address(name, getattr(given, name))
    files = site_files(app=given.app, address=given.address)
    for name, written in files.items():
        file = given.dir / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(written)
    print(f"{given.dir / 'index.html'}: {len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB")
    return 0


def check_address(name: str, address: str) -> None:
    """Raise ``ValueError`` unless an address is blank or a web address."""
    if address and (urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).netloc):
        raise ValueError(f"--{name} is {address!r}, expected an address that begins with https:// or http://")
