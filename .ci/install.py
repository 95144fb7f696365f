"""Installs requirement files with the running Python's pip, preferably with the CPU build of torch.

    python .ci/install.py [--torch-index URL] [--alone model.txt] requirements.txt [more.txt ...]

pip's own configuration stays in force: the index is added to those that pip would search anyway, and only
if it answers. On a closed network, pip would otherwise retry it for minutes before going on.
"""

import argparse
import contextlib
import hashlib
import subprocess
import sys
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TIMEOUT_S = 3.0


def answers(url: str, timeout: float = TIMEOUT_S) -> bool:
    """Whether an index answers at `url` in time, which includes looking up its name."""
    reached = threading.Event()
    done = threading.Event()

    def ask() -> None:
        with contextlib.suppress(Exception):
            request = urllib.request.Request(url.rstrip("/") + "/torch/", method="HEAD")
            with urllib.request.urlopen(request, timeout=timeout):
                reached.set()
        done.set()

    # A thread is needed, because no time-out of a socket bounds the look-up of a name; as a daemon, it doesn't delay
    # the exit.
    threading.Thread(target=ask, daemon=True).start()
    done.wait(timeout)
    return reached.is_set()


def given_arguments(files: list[Path]) -> list[str]:
    """Return the arguments of `pip install` for these files, without an index."""
    arguments = ["install", "--disable-pip-version-check", "--quiet"]
    if not sys.dont_write_bytecode:
        # Python compiles a module when it is first imported, while pip would compile all of them, most of which are
        # never imported. If Python may not store what it compiles, as in the image, pip does it.
        arguments.append("--no-compile")
    for file in files:
        arguments += ["--requirement", str(file)]
    return arguments


def pip_arguments(files: list[Path], torch_index: str) -> list[str]:
    """Return the arguments of `pip install`; say so if the requested index is left out."""
    arguments = given_arguments(files)
    if torch_index and answers(torch_index):
        arguments += ["--extra-index-url", torch_index]
    elif torch_index:
        print(f"{torch_index} does not answer: torch comes from where pip looks by default.", flush=True)
    return arguments


def fingerprint(file: Path, torch_index: str) -> str:
    """Return what an installed file depends on: the index, then a hash of the file and the Python."""
    digest = hashlib.sha256(sys.version.encode() + file.read_bytes())
    return f"{torch_index}\n{digest.hexdigest()}\n"


def install(files: list[Path], torch_index: str, stamps: Path | None, alone: list[Path] | None = None) -> int:
    """Run pip unless the stamps in a folder say that nothing changed; return pip's exit status.

    The packages of the files in `alone` are installed without their dependencies."""
    alone = alone or []
    wanted = {f"installed-{file.name}": fingerprint(file, torch_index) for file in (*files, *alone)}
    before = {name: (stamps / name).read_text() for name in wanted if stamps and (stamps / name).exists()}
    if before == wanted:
        return 0
    pip = [sys.executable, "-m", "pip"]
    arguments = pip_arguments(files, torch_index)
    # Until pip has succeeded, it is unknown what is installed, so the stamps are removed.
    for name in before:
        (stamps / name).unlink()
    if any(stamp.splitlines()[0] != torch_index for stamp in before.values()):
        # Both builds of torch satisfy the same pin, so pip would keep the build from the other index.
        subprocess.run([*pip, "uninstall", "--quiet", "--yes", "torch"], check=False)
    print("Installing " + ", ".join(map(str, (*files, *alone))) + ": some minutes, the first time.", flush=True)
    # These files are installed at the same time as the others: neither depends on the other, and one can unpack while
    # the other waits for the network.
    commands = [[*pip, *arguments], *([[*pip, *given_arguments(alone), "--no-deps"]] if alone else [])]
    with ThreadPoolExecutor() as at_once:
        codes = list(at_once.map(lambda command: subprocess.run(command, check=False).returncode, commands))
    status = next(filter(None, codes), 0)
    if status == 0 and stamps:
        for name, stamp in wanted.items():
            (stamps / name).write_text(stamp)
    return status


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch-index", default="", metavar="URL", help="empty: pip's default")
    parser.add_argument(
        "--alone", action="append", type=Path, metavar="FILE", help="its packages, without what they ask for"
    )
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    # Outside a virtual environment, other programs change what is installed, so that no stamp could be trusted.
    in_venv = sys.prefix != sys.base_prefix
    return install(options.files, options.torch_index.strip(), Path(sys.prefix) if in_venv else None, options.alone)


if __name__ == "__main__":
    sys.exit(main())
