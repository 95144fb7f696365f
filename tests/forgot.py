"""Says what a change forgot, a line for each thing: `make forgot`.

The rows of "How to add" in docs/ARCHITECTURE.md name the tests that find what was forgotten. For a test that fails, the
rows that name it are printed. Nothing is installed, and laws are tried with few examples: `make test` runs everything.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PYTHON = Path(sys.executable)
PYTEST = (sys.executable, "-m", "pytest", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider")
ADDITIONS = "tests/unit/rules/test_additions.py"
OTHERS = (
    "tests/unit/project/test_words.py", "tests/unit/project/test_architecture.py", "tests/unit/core/test_attention.py",
    "tests/unit/core/test_refused.py", "tests/unit/server/test_link.py", "tests/features/tables/unit/test_pasted.py",
    "tests/features/check/unit/test_worked_examples.py::test_published_table",
)  # fmt: skip
# Each starts its own Python, or measures times: they take longer than all others together.
LONG = ("before_it_is_asked_for", "taken_home", "takes_longer")
SHORT = " and ".join(f"not {each}" for each in LONG)
LINTERS = (
    (sys.executable, "-m", "ruff", "check", "--output-format", "concise", "--quiet"),
    (sys.executable, "-m", "ruff", "format", "--check", "--quiet"),
    (str(PYTHON.with_name("oxlint")), "--deny-warnings", "--format", "unix"),
)


class Row(NamedTuple):
    """A kind of addition, where it is made, and the tests that find what was forgotten."""

    what: str
    where: str
    finders: str

    def is_of(self, changed: list[str]) -> bool:
        """Whether it names a changed file."""
        named = re.findall(r"`([\w./]+\.\w+)`", self.where)
        return any(f"/{file}".endswith(f"/{each}") for file in changed for each in named)


def rows() -> list[Row]:
    """Return the rows of "How to add"."""
    text = (ROOT / "docs/ARCHITECTURE.md").read_text("utf-8").partition("## How to add")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.split(" | ")] for line in text.splitlines() if line.startswith("| ")]
    return [Row(what.removeprefix("| "), where, found.removesuffix(" |")) for what, where, found in cells[1:]]


def named_by(test: str, changed: list[str]) -> str:
    """Return the rows that name a test's file, if possible only those whose files were changed."""
    name = Path(test.partition("::")[0]).name
    named = [row for row in rows() if name in row.finders]
    concerned = [row for row in named if row.is_of(changed)] or named
    if len(concerned) > 3:
        return "one of these: " + "; ".join(row.what for row in concerned)
    return "\n".join(f"{row.what}: {row.where}" for row in concerned)


def forgotten(failed: list[str], changed: list[str]) -> list[str]:
    """Return the rows that name failing tests, each with the first of its lines in pytest's summary."""
    found: dict[str, list[str]] = {}
    for line in failed:
        test, _, message = line.partition(" ")[2].partition(" - ")
        found.setdefault(named_by(test, changed), []).append(f"{test}: {message.removeprefix('AssertionError: ')}")
    more = {told: f" (and {len(each) - 1} more)" if len(each) > 1 else "" for told, each in found.items()}
    return [f"{told}\n    {each[0]}{more[told]}".lstrip() for told, each in found.items()]


def changed_files() -> list[str]:
    """Return the files that differ from the last commit, or from upstream."""
    asked = (("diff", "--name-only", "HEAD"), ("diff", "--name-only", "@{upstream}...HEAD"),
             ("ls-files", "--others", "--exclude-standard"))  # fmt: skip
    done = [subprocess.run(["git", *each], cwd=ROOT, capture_output=True, text=True, check=False) for each in asked]
    return sorted({file for each in done for file in each.stdout.splitlines()})


def said_by(*command: str) -> list[str]:
    """Return a command's lines about errors."""
    environment = os.environ | {"ATTNVIZ_EXAMPLES": "2", "COLUMNS": "400", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if not done.returncode:
        return []
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    if "pytest" not in command:
        return lines
    found = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return found or [f"ERROR {line}" for line in lines[-5:]]  # the tests didn't run


def main() -> int:
    changed = changed_files()
    with ThreadPoolExecutor(2) as two:  # the one that takes longest is started first
        additions = two.submit(said_by, *PYTEST, ADDITIONS)
        others = two.submit(
            lambda: [said_by(*each) for each in (*LINTERS, (*PYTEST, "-m", "not slow", "-k", SHORT, *OTHERS))]
        )
        *linted, tested = others.result()
        told = [line for each in linted for line in each]
        told += forgotten([*tested, *additions.result()], changed)
    print("\n".join(told or ["Nothing is forgotten, as far as these tests know: make test asks all."]))
    return bool(told)


if __name__ == "__main__":
    sys.exit(main())
