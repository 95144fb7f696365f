"""Makes sure that there is a Chromium for the browser tests, with as little as that takes."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# The fonts are for the tests that type emoji and Chinese; a bare machine would draw boxes.
FONTS = ["fonts-dejavu-core", "fonts-droid-fallback", "fonts-noto-color-emoji"]
PACKAGE_MANAGERS = {
    "apt-get": [
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", *FONTS],
    ],
    "dnf": [["dnf", "install", "-y", "-q", "chromium"]],
    "zypper": [["zypper", "--non-interactive", "install", "chromium"]],
    "pacman": [["pacman", "-Sy", "--noconfirm", "chromium"]],
}


def run(*command: str) -> bool:
    print("$ " + " ".join(command), flush=True)
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode == 0


def system_browser() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


def as_root() -> list[str] | None:
    """What to put before a command that needs root; None where that would ask for a password."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        ask = subprocess.run(["sudo", "-n", "true"], check=False, capture_output=True)
        return ["sudo", "-n"] if ask.returncode == 0 else None
    return None


def install_system_browser() -> bool:
    manager = next(filter(shutil.which, PACKAGE_MANAGERS), None)
    prefix = as_root()
    if manager is None or prefix is None:
        return False
    for command in PACKAGE_MANAGERS[manager]:
        run(*prefix, "env", "DEBIAN_FRONTEND=noninteractive", *command)
    return system_browser() is not None


def main() -> int:
    if system_browser() or install_system_browser():
        return 0
    return 0 if run(sys.executable, "-m", "playwright", "install", "chromium") else 1


if __name__ == "__main__":
    sys.exit(main())
