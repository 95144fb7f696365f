"""Installs requirement files with the running Python's pip, the CPU build of torch first choice.

    python .ci/install.py [--torch-index URL] requirements.txt [more.txt ...]

pip's own configuration stays in force: the index is added to what pip would search anyway, and only
when it answers. On a closed network pip would otherwise retry it for minutes before going on.
"""

import argparse
import hashlib
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

TIMEOUT_S = 3.0


def answers(url: str, timeout: float = TIMEOUT_S) -> bool:
    """Whether an index answers at `url` in time, whatever it is that takes long."""
    reached = threading.Event()
    done = threading.Event()

    def ask() -> None:
        try:
            request = urllib.request.Request(url.rstrip("/") + "/torch/", method="HEAD")
            with urllib.request.urlopen(request, timeout=timeout):
                reached.set()
        except (OSError, ValueError):
            pass
        finally:
            done.set()

    # A thread, because no socket time-out bounds the look-up of a name; a daemon, so that exit won't wait.
    threading.Thread(target=ask, daemon=True).start()
    done.wait(timeout)
    return reached.is_set()


def pip_arguments(files: list[Path], torch_index: str) -> list[str]:
    """The arguments of `pip install`; says so where the wished index is left out."""
    arguments = ["install", "--disable-pip-version-check", "--quiet"]
    for file in files:
        arguments += ["--requirement", str(file)]
    if torch_index and answers(torch_index):
        arguments += ["--extra-index-url", torch_index]
    elif torch_index:
        print(f"{torch_index} does not answer: torch comes from where pip looks by default.", flush=True)
    return arguments


def fingerprint(files: list[Path], torch_index: str) -> str:
    """What the installation depends on: two lines, the wished index and a hash of the files."""
    digest = hashlib.sha256(sys.version.encode())
    for file in files:
        digest.update(file.read_bytes())
    return f"{torch_index}\n{digest.hexdigest()}\n"


def install(files: list[Path], torch_index: str, stamp: Path | None) -> int:
    """Runs pip unless `stamp` says that nothing changed; returns pip's exit status."""
    wanted = fingerprint(files, torch_index)
    before = stamp.read_text() if stamp and stamp.exists() else None
    if before == wanted:
        return 0
    pip = [sys.executable, "-m", "pip"]
    arguments = pip_arguments(files, torch_index)
    if before is not None and before.splitlines()[0] != torch_index:
        # Both builds of torch satisfy the same pin, so pip would keep the one of the other index.
        subprocess.run([*pip, "uninstall", "--quiet", "--yes", "torch"], check=False)
    print("Installing " + ", ".join(file.name for file in files) + ": minutes, the first time.", flush=True)
    status = subprocess.run([*pip, *arguments], check=False).returncode
    if status == 0 and stamp:
        stamp.write_text(wanted)
    return status


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch-index", default="", metavar="URL", help="empty: pip's default")
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    # Outside a virtual environment other programs change what is installed, so no stamp could be trusted.
    in_venv = sys.prefix != sys.base_prefix
    stamp = Path(sys.prefix, "installed-" + "-".join(file.stem for file in options.files)) if in_venv else None
    return install(options.files, options.torch_index.strip(), stamp)


if __name__ == "__main__":
    sys.exit(main())
