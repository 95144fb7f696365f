"""Every package is pinned, and the image is given, and lists, all that it installs."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_every_package_is_pinned_exactly() -> None:
    for name in sorted(path.name for path in ROOT.glob("requirements*.txt")):
        lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
        pins = [line for line in lines if line and not line.startswith("-r ")]
        assert pins, name
        for pin in pins:
            assert pin.split(";")[0].count("==") == 1, pin


def test_the_bill_of_materials_and_the_audit_know_all_that_the_image_installs() -> None:
    installed = set(re.findall(r"requirements[\w-]*\.txt", (ROOT / "Dockerfile").read_text()))
    makefile = (ROOT / "Makefile").read_text()
    for target in ("sbom", "audit"):
        (recipe,) = re.findall(rf"^{target}: .*\n((?:\t.*\n)+)", makefile, flags=re.M)
        assert set(re.findall(r"requirements[\w-]*\.txt", recipe)) == installed, target


def test_the_tests_that_make_names_are_there() -> None:
    named = re.findall(r"\b(?:tests|attnviz|benchmarks)/[\w/.]+\.py", (ROOT / "Makefile").read_text())
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_the_image_is_given_every_file_that_it_copies() -> None:
    """What .dockerignore keeps out of the build, a COPY doesn't find; several files need a folder to go into."""
    passed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copies = re.findall(r"^COPY (.+)$", (ROOT / "Dockerfile").read_text(), flags=re.M)
    assert copies
    for copy in copies:
        *sources, target = copy.split()
        assert set(sources) <= passed, copy
        assert len(sources) == 1 or target.endswith("/"), copy
    started = re.findall(r"streamlit\", \"run\", \"([^\"]+)\"", (ROOT / "Dockerfile").read_text())
    assert set(started) == {"app.py"} <= passed
