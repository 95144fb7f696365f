"""Installs Playwright and a Chromium if they don't run yet, with few packages; on Debian, Firefox, too."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The headless shell comes first: it is the same engine without a window's parts, and takes a sixth less of a core for
# the same tests. Tests and benchmarks read these names, too.
NAMES = Path(__file__).with_name("browsers").read_text().split()

# Playwright's own driver needs libatomic, which a bare machine lacks. The fonts are for tests that type emoji and
# Chinese, which would be drawn as boxes otherwise.
FONTS = ["fonts-dejavu-core", "fonts-droid-fallback", "fonts-noto-color-emoji"]
APT = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
PACKAGE_MANAGERS = {
    "apt-get": [
        ["apt-get", "update", "-qq"],
        [*APT, "libatomic1", *FONTS],
        [*APT, "chromium-headless-shell"],  # exists on Debian only
        [*APT, "chromium"],
    ],
    "dnf": [["dnf", "install", "-y", "-q", "chromium", "libatomic"]],
    "zypper": [["zypper", "--non-interactive", "install", "chromium", "libatomic1"]],
    "pacman": [["pacman", "-Sy", "--noconfirm", "chromium"]],
}


def run(*command: str) -> bool:
    print("$ " + " ".join(command), flush=True)
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode == 0


def system_browser() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def playwright_runs() -> bool:
    command = [sys.executable, "-m", "playwright", "--version"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def as_root() -> list[str] | None:
    """Return what to put before a command that needs root; None if that would ask for a password."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        ask = subprocess.run(["sudo", "-n", "true"], check=False, capture_output=True)
        return ["sudo", "-n"] if ask.returncode == 0 else None
    return None


def install_from_system() -> None:
    manager = next(filter(shutil.which, PACKAGE_MANAGERS), None)
    prefix = as_root()
    if manager is not None and prefix is not None:
        for command in PACKAGE_MANAGERS[manager]:
            if ready():
                return
            run(*prefix, "env", "DEBIAN_FRONTEND=noninteractive", *command)


def install_firefox() -> None:
    """Install Firefox for the one test that needs it; without Firefox, that test is skipped."""
    prefix = as_root()
    if not shutil.which("firefox-esr") and shutil.which("apt-get") and prefix is not None:
        run(*prefix, "env", "DEBIAN_FRONTEND=noninteractive", *APT, "firefox-esr")


def ready() -> bool:
    return system_browser() is not None and playwright_runs()


def main() -> int:
    if not ready():
        install_from_system()
    install_firefox()
    if ready():
        return 0
    return 0 if run(sys.executable, "-m", "playwright", "install", "chromium") else 1


if __name__ == "__main__":
    sys.exit(main())
