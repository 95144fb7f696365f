"""Figures, reports and notebooks as HTML: right numbers, nothing run, nothing loaded from anywhere."""

import gzip
import hashlib
import html
import io
import json
import re
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from plotly.basedatatypes import BaseTraceType
from plotly.offline import get_plotlyjs_version as plotlyjs_version

import attnviz
from attnviz import Scenario, documents
from attnviz.colours.palette import ROLES
from attnviz.core.stages import STAGES
from attnviz.documents.page import script_json
from attnviz.documents.pixels import png
from attnviz.explanation.numbers_from import numbers_in_words
from attnviz.figures.small_tables import Table
from attnviz.words.numbers import written

HOSTILE = "</script><script>alert(1)</script>"
HOSTILE_TEXT = f"{HOSTILE} <b>x</b> <img/src=x/onerror=alert(1)> '\"&amp; <!--"


class Read(HTMLParser):
    """The elements of a page, and the texts in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def hostile() -> tuple[Scenario, attnviz.AttentionTrace]:
    scenario = Scenario(HOSTILE_TEXT, tokenizer="whitespace")
    return scenario, attnviz.trace(scenario)


# A notebook chooses: numbers, LaTeX, pictures with a board in a frame


def test_a_notebook_has_numbers_latex_pictures_and_a_board_of_what_is_not_too_large() -> None:
    scenario = Scenario("a cat ran", n_heads=2, d_out=4)
    trace = attnviz.trace(scenario)
    for shown in (scenario, trace):
        bundle = shown._repr_mimebundle_()
        assert bundle["text/plain"].count("\n\n") == bundle["text/latex"].count("\\begin") - 1 == 2
        weight = written(float(trace["heads.1.attention_weights"][2, 0]), 4)
        assert weight in bundle["text/plain"]
        assert weight in bundle["text/latex"]
        assert bundle["text/html"].startswith(pictures := documents.trace_markup(trace)), (
            "an untrusted notebook has these"
        )
        assert bundle["text/html"].removeprefix(pictures).startswith("<iframe srcdoc=")
    head = trace.heads[1]
    assert html.escape(documents.board_page(head)) in head._repr_mimebundle_()["text/html"]
    page = Read(scenario._repr_mimebundle_()["text/html"].removeprefix(documents.trace_markup(trace)))
    assert dict(page.attributes)["srcdoc"] == documents.board_page(scenario)
    many = Scenario(" ".join(["cat"] * 65))
    assert "<iframe" not in many._repr_mimebundle_()["text/html"]
    assert "text/latex" not in many._repr_mimebundle_()
    batch = attnviz.attend(torch.zeros(2, 3, 3), *torch.zeros(3, 3, 2))
    assert "of a batch" in batch._repr_mimebundle_()["text/html"]


# Nothing is run, nothing is loaded


def test_a_report_and_a_notebooks_view_have_no_scripts_whatever_the_tokens() -> None:
    scenario, trace = hostile()
    for page in (documents.report(scenario, trace), trace._repr_html_()):
        read = Read(page)
        assert not {"script", "iframe", "object", "link", "b>x", "svg", "a"} & set(read.tags)
        assert set(read.tags) <= {
            "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "div", "section", "table", "tr", "td",
            "th", "img", "pre", "b", "br",
        }  # fmt: skip
        assert not [name for name, _ in read.attributes if name.startswith("on")]
        assert all(value.startswith("data:image/png;base64,") for name, value in read.attributes if name == "src")
        assert HOSTILE in "".join(read.texts)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON_VALUES | st.sampled_from([HOSTILE, "<!--<script>", "\u2028", "]]>"]))
def test_json_in_a_script_says_the_same_and_cannot_end_it(value: object) -> None:
    written_value = script_json(value)
    assert json.loads(written_value) == value
    assert not re.search("[<>&\u2028\u2029]", written_value)


def test_the_pages_plotly_js_is_what_was_made_and_has_every_trace_that_the_figures_draw() -> None:
    folder = resources.files("attnviz.documents").joinpath("plotly_js")
    digest, name = folder.joinpath("SHA256SUMS").read_text().split()
    script = gzip.decompress(folder.joinpath(f"{name}.gz").read_bytes())
    assert hashlib.sha256(script).hexdigest() == digest
    assert f"v{plotlyjs_version()}".encode() in script[:200]
    assert b"Licensed under the MIT license" in script[:300]
    held = set(re.findall(r'moduleType:"trace",name:"(\w+)"', script.decode("ascii")))
    folders = (Path(attnviz.__file__).parent / name for name in ("figures", "features"))
    sources = [file.read_text("utf-8") for folder in folders for file in folder.rglob("*.py")]
    types = set(re.findall(r'"type": "(\w+)"', "".join(sources)))
    drawn = {each for each in types if issubclass(getattr(go, each.capitalize(), object), BaseTraceType)}
    assert {"heatmap", "scatter"} <= drawn <= held


# The numbers are those of the trace


def test_a_report_has_the_set_up_what_was_found_and_the_script() -> None:
    scenario = Scenario(embedding="published", edits=[("w_v", 0, 0, 0.5)], temperature=2.0)
    trace = attnviz.trace(scenario)
    page = documents.report(scenario, trace)
    text = "".join(Read(page).texts)
    for said in ("Seed: 123", "Temperature: 2", "Initialization: uniform", "Divide by √d_k: on", "import torch",
                 "Changed by hand: W_v[0, 0]: 0.0756 → 0.5000.",
                 numbers_in_words(scenario),
                 "“journey” reads itself most", "Scaled scores = Q Kᵀ / (√d_k · 2)"):  # fmt: skip
        assert said in text, said
    for stage in STAGES.values():
        titled = f'<h2 style="color:{ROLES[stage.role].light}">{html.escape(stage.title)}'
        assert (titled in page) == (getattr(trace, stage.name) is not None)


# Pictures


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_a_png_is_read_back_as_it_was(n_rows: int, n_columns: int, seed: int) -> None:
    rgb = np.random.default_rng(seed).integers(0, 256, (n_rows, n_columns, 3)).astype(np.uint8)
    with Image.open(io.BytesIO(png(rgb))) as image:
        image.verify()
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(png(rgb)))), rgb)


# Notebooks


def test_a_table_of_a_question_is_a_small_picture_with_its_numbers_names_and_sums() -> None:
    cells = torch.tensor([[0.5, float("nan")], [0.25, -2.0]])
    table = Table("A & <b>", cells, rows=("<x>", "y"), columns=("p", "q"), sums=True)
    for dark in (False, True):
        page = documents.figure_page(documents.table_svg(table, 2, dark=dark), table.title, dark=dark)
        assert len(page) < 8_000
        assert Read(page).tags.count("script") == 1
        assert "XMLSerializer" in page, "it saves the picture"
        (drawn,) = re.findall(r"<svg.*</svg>", page, re.DOTALL)
        texts = [html.unescape(each) for each in re.findall(r"<text[^>]*>([^<]*)</text>", drawn)]
        assert texts[:4] == ["0.50", "NaN", "0.25", "−2.00"]
        assert texts[4:9] == ["<x>", "y", "p", "q", table.title]
        assert "2 rows and 2 columns, from −2.00 to 0.50. 1 cell is masked or holds no finite number." in drawn
        assert "−1.75" in texts
        assert drawn.count("<rect") == 2 + 4, "the paper, the frame and the cells"
