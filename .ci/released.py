"""Compares what `make sbom` and `make audit` wrote with the pinned packages, and prints what the audit found.

    python .ci/released.py sbom sbom.json requirements.txt [more.txt ...]
    python .ci/released.py audit audit.json requirements.txt [more.txt ...]

The status is 0 if every pinned package is listed in its version, and no other package, and no vulnerability of them is
known. An audit covers only what is installed on the machine that it runs on: it says nothing about pins for others.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

Pins = dict[str, str]  # name -> version


def pins_of(files: Iterable[Path], *, here: bool = False) -> Pins:
    """Return the versions that requirement files pin, for any machine or for this one."""
    lines = (line.split("#")[0].strip() for file in files for line in file.read_text().splitlines())
    pinned = [Requirement(line) for line in lines if line and not line.startswith("-")]
    return {
        canonicalize_name(each.name): str(each.specifier).removeprefix("==")
        for each in pinned
        if not here or each.marker is None or each.marker.evaluate()
    }


def faults_of_sbom(bill: Any, pins: Pins) -> list[str]:
    """Return what is wrong with a bill of materials (CycloneDX, JSON) of these pins."""
    faults = []
    if bill.get("bomFormat") != "CycloneDX" or not re.fullmatch(r"1\.\d+", str(bill.get("specVersion"))):
        faults.append(f"it is {bill.get('bomFormat')} {bill.get('specVersion')}, expected CycloneDX 1")
    components = bill.get("components", [])
    faults += _differences({canonicalize_name(each["name"]): each.get("version", "none") for each in components}, pins)
    for each in components:
        expected = f"pkg:pypi/{canonicalize_name(each['name'])}@{each.get('version')}"
        if each.get("purl", "").split("?")[0].lower() != expected.lower():
            faults.append(f"{each['name']} is called {each.get('purl')}, expected {expected}")
    times = len(components) - len({each["name"] for each in components})
    return faults + ([f"{times} of its components stand there twice"] if times else [])


def faults_of_audit(told: Any, pins: Pins) -> list[str]:
    """Return what is wrong with pip-audit's report (JSON): packages left out, and vulnerabilities."""
    audited = told.get("dependencies", [])
    faults = [f"{each['name']} was left out: {each['skip_reason']}" for each in audited if "skip_reason" in each]
    looked_at = {
        canonicalize_name(each["name"]): each.get("version", pins.get(canonicalize_name(each["name"]), ""))
        for each in audited
    }
    faults += _differences(looked_at, pins)
    for each in audited:
        for known in each.get("vulns", []):
            mended = ", ".join(known.get("fix_versions", [])) or "no version"
            faults.append(f"{each['name']} {each['version']}: {known['id']}, mended in {mended}")
    return faults


def _differences(found: Pins, pins: Pins) -> list[str]:
    missing = [f"{name} {pins[name]} is missing" for name in sorted(pins.keys() - found.keys())]
    more = [f"{name} {found[name]} is not pinned" for name in sorted(found.keys() - pins.keys())]
    others = [
        f"{name} is {found[name]}, pinned is {pins[name]}"
        for name in sorted(pins.keys() & found.keys())
        if found[name] != pins[name]
    ]
    return missing + more + others


_CHECKS = {"sbom": faults_of_sbom, "audit": faults_of_audit}


def check(kind: str, file: Path, requirements: list[Path]) -> int:
    """Print what is wrong; return the exit status of the command."""
    pins = pins_of(requirements, here=kind == "audit")
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        faults = _CHECKS[kind](told, pins)
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        faults = [f"it can't be read: {error!r}"]
    for fault in faults:
        print(f"{file}: {fault}", file=sys.stderr)
    if not faults:
        print(f"{file}: {len(pins)} packages, nothing wrong")
    return 1 if faults else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=_CHECKS)
    parser.add_argument("file", type=Path)
    parser.add_argument("requirements", type=Path, nargs="+")
    arguments = parser.parse_args()
    return check(arguments.kind, arguments.file, arguments.requirements)


if __name__ == "__main__":
    sys.exit(main())
