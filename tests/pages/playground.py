"""The playground in an AppTest session, used and read in the words of the page."""

import json
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from attnviz import Scenario, trace
from attnviz.core.heads import is_of_a_head
from attnviz.core.rules import in_rows
from attnviz.core.stages import EVERY_STAGE, pictured
from attnviz.words import say
from tests.pages.reader import Reader, heatmap_of, in_address, pictures_of, sent_to

PUBLISHED: dict[str, Any] = {"embedding": "published"}


class Playground(Reader):
    """A reader's session: its methods are what a reader does on the page, its properties what a reader sees.

    It opens at the heatmaps, with the editor beside them, unless the address says otherwise.
    """

    def __init__(self, page: str = "pages/playground.py", **address: str) -> None:
        super().__init__(page, **({"view": "heatmaps"} | address))

    # ---- what a reader does

    def type_sentence(self, text: str) -> Self:
        return self.set("text", text)

    def edit(self, matrix: str, row: int, column: int, value: Any) -> Self:
        """Type into a cell of the editor, on top of what was typed before."""
        self.look_at(matrix)
        key = self.at.data_editor[0].key or ""
        typed = self.at.session_state[key]["edited_rows"] if key in self.at.session_state else {}
        rows = {int(i): dict(cells) for i, cells in typed.items()}
        rows.setdefault(row, {})[self.editor.columns[column]] = value
        self.at.session_state[key] = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
        return self.run()

    def look_at(self, matrix: str) -> Self:
        """Choose a matrix for the editor to show."""
        if self.at.pills(key="playground.matrix").value != matrix:
            self.set("playground.matrix", matrix)
        return self

    def paste(self, matrix: str, table: str) -> Self:
        self.look_at(matrix).at.text_area(key="playground.paste").set_value(table)  # in a form, whose button sends it
        return self.press("Use these numbers")

    def undo(self, change: str) -> Self:
        """Undo the change that the page lists in these words."""
        lines = [text for text in self.texts if re.match(r"(X|[Wb]_[qkv])(\[\d+, \d+\])?: ", text)]
        return self.press("Undo", lines.index(change))

    # ---- what a reader sees

    @property
    def editor(self) -> Any:
        """The table that the editor starts from, as a DataFrame."""
        return self.at.data_editor[0].value

    @property
    def heatmaps(self) -> dict[str, Any]:
        """The data of all heatmaps that the page is sent; empty if it has none."""
        return next(iter(sent_to(self.at, "heatmaps")), {"groups": [], "pictures": {}, "frames": []})

    @property
    def charts(self) -> dict[str, Any]:
        """The page's pictures in order: heatmaps by the names of their matrices, Plotly's figures by their ids."""
        sent, plots = self.heatmaps, [element.proto for element in self.at.get("plotly_chart")]
        shown = {name: SimpleNamespace(**sent["pictures"][name]) for name in chain.from_iterable(sent["groups"])}
        return {**{proto.id: proto for proto in plots}, **shown}

    def outlines(self, name: str) -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
        """Return the frames around a heatmap's cells: solid or dotted, first and last row, first and last column."""
        return [
            ("solid" if frame["chosen"] else "dotted", tuple(frame["rows"]), tuple(frame["columns"]))
            for frame in self.heatmaps["frames"]
            if frame["matrix"] == name
        ]

    @property
    def explanation(self) -> str:
        """The explanation of the picked cell in words; empty if none is picked."""
        return next(
            (
                text
                for text in self.texts
                if text.startswith(tuple(f"{stage.title}, " for stage in EVERY_STAGE.values()))
            ),
            "",
        )

    def matrix(self, name: str) -> np.ndarray:
        """Return a heatmap's numbers; NaN for a cell without one."""
        drawn = self.charts[name]
        if isinstance(drawn, SimpleNamespace):
            return np.frombuffer(b64decode(drawn.numbers), "<f4").copy().reshape(len(drawn.rows), len(drawn.columns))
        return heatmap_of(json.loads(drawn.spec))

    def compared(self, name: str, side: str) -> np.ndarray:
        """Return a matrix's numbers in A, B or B − A, while these are compared."""
        return pictures_of(self.at, f"compare.{name}")[side]

    def signs(self, name: str) -> dict[str, int]:
        """Return the hover texts of cells without a finite number, and how many cells have each."""
        drawn = self.charts[name]
        kinds = Counter(b64decode(drawn.kinds))
        said = ("", "share" if drawn.shares else "masked", "negative", "positive", "nan")
        return {say(f"figures.signs.{said[kind]}"): n for kind, n in kinds.items() if kind}

    def matrices(self) -> dict[str, np.ndarray]:
        return {name: self.matrix(name) for name in self.charts}

    @property
    def board(self) -> dict[str, Any] | None:
        """The data that the page's board draws; None without a board."""
        return self.boards[0] if self.boards else None

    @property
    def sentence(self) -> str:
        """The page's sentence about the picked token."""
        return self.texts[0]

    @property
    def changes(self) -> str:
        """The edits and replaced matrices, as in the address."""
        return in_address(self.at, "edits")

    def all_markdown(self) -> Iterator[str]:
        """Yield every text that the page renders as Markdown: bodies, captions, labels, options and helps."""
        for element in (*self.at.markdown, *self.at.caption, *self.at.warning, *self.at.info, *self.at.error):
            yield element.value
        for kind in ("button", "text_input", "text_area", "number_input", "selectbox", "toggle"):
            for widget in self.at.get(kind):
                yield widget.proto.label
                yield widget.proto.help
        for pills in self.at.pills:
            yield from pills.options

    def shows(self, scenario: Scenario) -> bool:
        """Whether every heatmap has this scenario's numbers, with several heads the first head's."""
        wanted = trace(scenario).for_head(0)
        names = chain.from_iterable(pictured(wanted.stages))
        drawn = list(chain.from_iterable(self.heatmaps["groups"]))
        assert drawn == [name for name in names if not is_of_a_head(name)]
        for name in drawn:
            want = only_finite(in_rows(wanted[name]).numpy())
            masked = wanted.masked_in(name)
            want = want if masked is None else np.where(masked, np.float32("nan"), want)
            got = self.matrix(name)
            if got.shape != want.shape or not np.array_equal(got, want, equal_nan=True):
                return False
        return True


def only_finite(matrix: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(matrix), matrix, np.float32("nan"))
