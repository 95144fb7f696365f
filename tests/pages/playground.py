"""The playground in an AppTest session, used and read in the words of the page."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
from streamlit.testing.v1 import AppTest

from attnviz import Scenario, trace
from attnviz.stages import PICTURED, STAGES

APP = Path(__file__).parents[2] / "app.py"
JOURNEY = 1  # the position of "journey" in the published sentence
SEVERAL_SECONDS = 60


def in_address(at: AppTest, name: str) -> str:
    """Return a text that the app itself keeps in the address; blank where it is not there."""
    return next((each.value for each in at.text_input if each.key == name), "")


class Playground:
    """A reader's session: what can be done on the page are methods, what can be seen are properties.

    It opens at the heatmaps, with the editor beside them, unless the address says otherwise.
    """

    def __init__(self, **address: str) -> None:
        self.at = AppTest.from_file(str(APP), default_timeout=SEVERAL_SECONDS)
        self.at.query_params.update({"view": "heatmaps"} | address)
        self.run()

    # What a reader does.

    def run(self) -> Self:
        self.at.run()
        assert not self.at.exception, [str(error.value) for error in self.at.exception]
        return self

    def type_sentence(self, text: str) -> Self:
        return self.set("text", text)

    def set(self, control: str, value: Any) -> Self:
        self.at.get_by_key(control).set_value(value)  # type: ignore[union-attr]
        return self.run()

    def press(self, label: str, which: int = 0) -> Self:
        """Press the button with this label; the first of several unless told."""
        [button for button in self.at.button if button.label == label][which].click()
        return self.run()

    def can_press(self, label: str) -> bool:
        return any(button.label == label and not button.disabled for button in self.at.button)

    def edit(self, matrix: str, row: int, column: int, value: Any) -> Self:
        """Type into a cell of the editor, on top of what was typed before."""
        self.look_at(matrix)
        key = self.at.data_editor[0].key
        typed = self.at.session_state[key]["edited_rows"] if key in self.at.session_state else {}
        rows = {int(i): dict(cells) for i, cells in typed.items()}
        rows.setdefault(row, {})[self.editor.columns[column]] = value
        self.at.session_state[key] = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
        return self.run()

    def look_at(self, matrix: str) -> Self:
        """Choose the matrix that the editor shows."""
        if self.at.pills(key="playground.matrix").value != matrix:
            self.set("playground.matrix", matrix)
        return self

    def paste(self, matrix: str, table: str) -> Self:
        return self.look_at(matrix).set("playground.paste", table).press("Use these numbers")

    def undo(self, change: str) -> Self:
        """Undo the change that stands on the page in these words."""
        lines = [text for text in self.texts if re.match(r"(X|[Wb]_[qkv])(\[\d+, \d+\])?: ", text)]
        return self.press("Undo", lines.index(change))

    # What a reader sees.

    @property
    def editor(self) -> Any:
        """The table that the editor starts from, as a DataFrame."""
        return self.at.data_editor[0].value

    @property
    def charts(self) -> dict[str, Any]:
        """The charts by the name of their matrix."""
        protos = (element.proto for element in self.at.get("plotly_chart"))
        return {proto.id.rpartition("-playground.")[2]: proto for proto in protos}

    def figure(self, matrix: str) -> dict[str, Any]:
        return json.loads(self.charts[matrix].spec)

    def drawn_cells(self, name: str) -> list[dict[str, Any]]:
        """What a heatmap draws, without the points that make it clickable."""
        return [drawn for drawn in self.figure(name)["data"] if drawn["type"] == "heatmap"]

    def outlines(self, name: str) -> list[tuple[str, float, float, float, float]]:
        """The frames around cells of a heatmap: solid or dotted, columns from and to, rows from and to."""
        shapes = self.figure(name)["layout"].get("shapes", [])
        return [
            (
                "solid" if shape["line"]["dash"] == "solid" else "dotted",
                *(shape[edge] for edge in ("x0", "x1", "y0", "y1")),
            )
            for shape in shapes
            if "dash" in shape["line"]
        ]

    @property
    def explanation(self) -> str:
        """How the picked cell is made, in words; empty where none is picked."""
        return next(
            (text for text in self.texts if text.startswith(tuple(f"{STAGES[name].title}, " for name in STAGES))), ""
        )

    def matrix(self, name: str) -> np.ndarray:
        """The numbers of a heatmap; NaN where a cell has none."""
        numbers = [as_array(drawn["z"]) for drawn in self.drawn_cells(name) if "%{z" in drawn["hovertemplate"]]
        shape = as_array(self.figure(name)["data"][0]["z"]).shape
        return np.fmax.reduce([*numbers, np.full(shape, np.nan, dtype=np.float32)])

    def signs(self, name: str) -> dict[str, int]:
        """What stands in the hover of the cells that are no finite number, and how many there are of each."""
        return {
            drawn["hovertemplate"].partition(" = ")[2].removesuffix("<extra></extra>"): np.isfinite(
                as_array(drawn["z"])
            ).sum()
            for drawn in self.drawn_cells(name)
            if "%{z" not in drawn["hovertemplate"]
        }

    def matrices(self) -> dict[str, np.ndarray]:
        return {name: self.matrix(name) for name in self.charts}

    @property
    def board(self) -> dict[str, Any] | None:
        """What the board of the page is given to draw; None where there is no board."""
        protos = [element.proto for element in self.at.get("bidi_component")]
        (board,) = [json.loads(proto.json) for proto in protos if proto.component_name == "attnviz_board"] or [None]
        return board

    @property
    def texts(self) -> list[str]:
        return [text.value for text in self.at.text]

    @property
    def captions(self) -> list[str]:
        return [caption.value for caption in self.at.caption]

    @property
    def messages(self) -> list[str]:
        return [warning.value for warning in self.at.warning]

    @property
    def sentence(self) -> str:
        """What the page says about the picked token."""
        return self.texts[0]

    @property
    def changes(self) -> str:
        """The edits and replaced matrices, as the address carries them."""
        return in_address(self.at, "edits")

    def all_markdown(self) -> Iterator[str]:
        """Every text that the page renders as Markdown: bodies, captions, labels, options and helps."""
        for element in (*self.at.markdown, *self.at.caption, *self.at.warning, *self.at.info, *self.at.error):
            yield element.value
        for kind in ("button", "text_input", "text_area", "number_input", "selectbox", "toggle"):
            for widget in self.at.get(kind):
                yield widget.label
                yield widget.proto.help
        for pills in self.at.pills:
            yield from pills.options

    def shows(self, scenario: Scenario) -> bool:
        """Whether every heatmap has the numbers of this scenario."""
        wanted = trace(scenario)
        assert set(self.charts) == set(PICTURED)
        for name in PICTURED:
            want = only_finite(getattr(wanted, name).numpy())
            if scenario.causal and name == "attention_weights":
                want = np.where(np.triu(want == 0, 1), np.float32("nan"), want)
            got = self.matrix(name)
            if got.shape != want.shape or not np.array_equal(got, want, equal_nan=True):
                return False
        return True


def as_array(z: Any) -> np.ndarray:
    """Decode an array of a figure's JSON: rows, or Plotly's base64."""
    if isinstance(z, list):
        return np.array(z, dtype=np.float32)
    shape = [int(n) for n in z["shape"].split(",")]
    return np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"]).reshape(shape)


def only_finite(matrix: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(matrix), matrix, np.float32("nan"))
