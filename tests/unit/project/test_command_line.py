"""The command line prints the numbers of the trace, writes what it is asked for, and fails in words."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from attnviz import Scenario, trace
from attnviz.commands.main import main
from attnviz.documents import board_page, board_svg, report
from attnviz.export import matrix_csv, matrix_names, pytorch_script, trace_json
from attnviz.link.codecs import Flag
from attnviz.link.set_up import parameters, query_of
from tests.examples import examples
from tests.unit.helpers import setups

ROOT = Path(__file__).parents[3]
CAT = ["the cat sat on the mat", "--d-in", "3", "--d-out", "2", "--seed", "123"]
CAT_SCENARIO = Scenario(CAT[0], embedding="published")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def table_of(text: str, title: str, n_columns: int = 2) -> list[list[str]]:
    """The cells of one printed table, without its names."""
    lines = next(part.splitlines() for part in text.split("\n\n") if part.startswith(title))
    return [line.split()[-n_columns:] for line in lines[2:]]


def test_every_table_has_the_numbers_of_the_trace(capsys: pytest.CaptureFixture[str]) -> None:
    text, made = printed(capsys, *CAT), trace(CAT_SCENARIO)
    titles = {
        "X": "x",
        "W_q": "w_q",
        "Q, queries = X W_q": "q",
        "Scores = Q Kᵀ": "scores",
        "Attention weights = softmax of each row": "attention_weights",
        "Context vectors = A V": "context",
    }
    for title, name in titles.items():
        matrix = getattr(made, name)
        rows = table_of(text, title + "\n", matrix.shape[1])
        cells = [[float(cell.replace("−", "-")) for cell in row] for row in rows]
        np.testing.assert_allclose(cells, matrix, atol=5.1e-5)
    assert "the (0)" in text
    assert "the (4)" in text


def test_json_csv_code_and_html_are_those_of_the_library(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    made = trace(CAT_SCENARIO)
    assert printed(capsys, *CAT, "--json").strip() == trace_json(made)
    assert printed(capsys, *CAT, "--code") == pytorch_script(CAT_SCENARIO)
    assert printed(capsys, *CAT, "--csv", str(tmp_path / "a" / "b")) == ""
    assert sorted(file.stem for file in (tmp_path / "a" / "b").iterdir()) == sorted(matrix_names(made))
    for name in matrix_names(made):
        assert (tmp_path / "a" / "b" / f"{name}.csv").read_text(encoding="utf-8") == matrix_csv(made, name)
    assert printed(capsys, *CAT, "--digits", "3", "--html", str(tmp_path / "page.html")) == ""
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report(CAT_SCENARIO, made, digits=3)
    assert printed(capsys, *CAT, "--svg", str(tmp_path / "board.svg")) == ""
    assert (tmp_path / "board.svg").read_text(encoding="utf-8") == board_svg(made)
    alone = tmp_path / "a 'b'.html"
    frame = printed(capsys, "board", *CAT, "--html", str(alone))
    assert frame.startswith('<iframe src="a%20%27b%27.html" title="')
    assert alone.read_text(encoding="utf-8") == board_page(CAT_SCENARIO)


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scenario=setups())
def test_every_setting_can_be_given(capsys: pytest.CaptureFixture[str], scenario: Scenario) -> None:
    arguments = []
    for name, parameter in parameters().items():
        value = getattr(scenario, name, None)
        flag = "--" + name.replace("_", "-")
        if name == "text" or value is None:
            continue
        if isinstance(parameter.codec, Flag):
            arguments.append(flag if value else f"--no-{name.replace('_', '-')}")
        else:
            arguments += [flag, str(value)]
    capsys.readouterr()
    assert json.loads(printed(capsys, *arguments, "--json", "--", scenario.text)) == json.loads(
        trace_json(trace(scenario))
    )
    assert printed(capsys, "--json", "--link", "http://localhost:8501/?" + query_of(scenario)).strip() == trace_json(
        trace(scenario)
    )


WRONG: list[tuple[list[str], str]] = [
    (["--mask", "diagonal"], "'diagonal' is no mask. It may be one of these, or numbers: none, causal, window:N"),
    (["--mask", "causal", "--masking", "window"], "expected no masking beside it"),
    (["--mask", "causal", "--link", "?text=a"], "expected no mask beside it"),
    (["--d-in", "abc"], "d_in is 'abc', expected a whole number from 1 to 1024"),
    (["--init", "xavier"], "init is 'xavier', expected one of uniform, linear, normal"),
    (["--temperature", "nan"], "temperature is 'nan', expected a number from 0.01 to 100"),
    (["--device", "cuda:9"], "device is 'cuda:9', expected "),
    ([""], "0 can't be the number of tokens: take a whole number from 1 to 1024"),
    (["--edits", "w_q.9.0.1"], "--edits has 'w_q.9.0.1.0', expected changes of cells"),
    (["--digits", "50"], "digits is '50', expected a whole number from 1 to 6"),
    (["--link", "?text=a", "--digits", "50"], "digits is '50', expected a whole number from 1 to 6"),
    (["--link", "?text=a&digits=abc"], "digits = 'abc' should be a whole number from 1 to 6"),
    (["zebra", "--seed", "9", "--no-scale", "--link", "?text=a"], "expected no text, seed, scale beside it"),
    (["--edits", "w_q.0.0.1", "--link", "?text=a"], "expected no edits beside it"),
    (["--link", ""], "the link is '', expected one that is copied from the app"),
    (["--link", "zebra"], "the link is 'zebra', expected one that is copied from the app"),
    (["--link", "?example=zebra"], "there's no worked example 'zebra', only one of journey"),
    (["a" * 20_001], "expected a text of at most 20,000 characters"),
    (["--edits", "nonsense"], "--edits has 'nonsense', expected changes of cells"),
    (["--link", "?seed=abc"], "parts of the link can't be used: seed = 'abc' should be a whole number"),
    (["--link", "?sead=7"], "parts of the link can't be used: attnviz doesn't know 'sead'. Did you mean 'seed'?"),
    (["a b", "--reads", "second", "--second", "c", "--mask", "causal"], "the mask causal doesn't fit"),
    (["a b", "--reads", "second", "--second", ""], "The second sentence is blank"),
    (["a b", "--reads", "third"], "reads is 'third', expected one of itself, second, kept"),
    (["--csv", "/dev/null/x"], "/dev/null"),
    (["--html", "/dev/null/x"], "/dev/null"),
    (["board", "a b"], "expected --html FILE"),
    (["board", "a b", "--html", "/dev/null/x"], "/dev/null"),
    (["board", "a b", "--html", "x", "--back", "javascript:alert(1)"], "expected an address that begins with https://"),
    (["board", "a b", "--html", "x", "--d-out", "129"], "more than 128 columns"),
]


@pytest.mark.parametrize(("arguments", "problem"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_what_cannot_be_goes_to_stderr_with_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("attnviz: ")
    assert problem in err
    assert "Traceback" not in err


def run(*arguments: str, cwd: Path, path: Path, code: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", code, *arguments] if code else [sys.executable, "-m", "attnviz", *arguments]
    environment = os.environ | {"PYTHONPATH": str(path), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, timeout=120, check=False)


def test_the_command_of_the_documents_is_the_one_that_is_tested() -> None:
    text, *options = CAT
    assert f'python -m attnviz "{text}" {" ".join(options)}\n' in (ROOT / "docs/COMMANDS.md").read_text(
        encoding="utf-8"
    )


# The library needs torch, numpy, pandas and plotly alone: whatever else the app has is kept from it here.
WITHOUT_THE_APP = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in "streamlit safetensors altair pyarrow uvicorn minify anywidget".split():
            raise ImportError(f"{name} is not installed")
sys.meta_path.insert(0, Refuse())
import attnviz
assert "plotly" not in sys.modules, "until something is plotted"
from attnviz.commands.main import main
assert "window.attnvizBoard" not in attnviz.documents.board_page(attnviz.Scenario("a b")).partition("<script")[0]
attnviz.figures.heatmap(attnviz.trace(attnviz.Scenario()), "scores")
try:
    attnviz.show_board("a b")
except ImportError as error:
    assert "attnviz[notebook]" in str(error)
else:
    raise AssertionError("a widget without anywidget")
sys.exit(main(sys.argv[1:]))
"""


def test_the_library_and_the_command_do_without_the_app(tmp_path: Path) -> None:
    done = run(*CAT, cwd=tmp_path, path=ROOT, code=WITHOUT_THE_APP)
    assert done.returncode == 0, done.stderr
    assert "Context vectors" in done.stdout
