"""Prints how many lines and files the product has, and how many its tests have."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("attnviz", "pages", "app.py"), {".py", ".js", ".ts", ".css", ".toml"}
TESTS = ("tests",), {".py", ".js", ".json"}


def counted(places: tuple[str, ...], kinds: set[str]) -> tuple[int, int]:
    """Return how many lines and files of these kinds git tracks."""
    listed = subprocess.run(["git", "ls-files", "-z", *places], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [ROOT / name for name in listed.stdout.split("\0") if Path(name).suffix in kinds]
    present = [file for file in files if file.is_file()]
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in present), len(present)


for title, (places, kinds) in (("product", PRODUCT), ("tests", TESTS)):
    lines, files = counted(places, kinds)
    print(f"{title:8} {lines:7,} lines in {files:4,} files")
