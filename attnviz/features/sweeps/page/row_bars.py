"""Rows of attention weights as bars that follow a slider of d."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from attnviz.app.session.component import component
from attnviz.app.session.page_record import current_mark
from attnviz.colours.palette import scale_style
from attnviz.features.sweeps.typical_rows import TypicalRow
from attnviz.words import plural, say
from attnviz.words.numbers import equals, percent, significant

_ROOT = 0.5
_SCALES = {0.0: "none", _ROOT: "sqrt", 1.0: "linear"}  # exponent -> its name in figures, if it has a style of its own
_DIGITS = 4  # decimals of a weight; a bar of some 200 pixels shows no more

_bars = component(
    "row_bars",
    '<div class="row-bars"><label class="at"><span class="label"></span><input type="range" min="0" step="1">'
    '<output aria-hidden="true"></output></label><div class="panels"></div></div>',
    Path(__file__).with_suffix(".js"),
)


_MOST = 24  # bars of a sorted row, at most; the others would be no higher than the last


@dataclass(frozen=True)
class Panel:
    """A row and its title for each d, drawn in one style."""

    scale: str
    titles: Sequence[str]
    rows: Sequence[TypicalRow]

    @classmethod
    def of(cls, rows: Sequence[TypicalRow], p: float) -> Self:
        """Return rows whose scores were divided by d^p."""
        return cls(_SCALES.get(p, f"{p:g}"), [_title(row.dim, p) for row in rows], rows)

    def sent(self, n_bars: int) -> dict[str, Any]:
        """Return the data for the script."""
        light, dark = (scale_style(self.scale, dark).colour for dark in (False, True))
        drawn = [_sent(title, row, n_bars) for title, row in zip(self.titles, self.rows, strict=True)]
        return {"tone": {"light": light, "dark": dark}, "rows": drawn}


def _title(dim: int, p: float) -> str:
    if not p:
        return say("scaling.bars.undivided")
    by = f"√{dim}" if p == _ROOT else f"{dim}" if p == 1 else f"{dim}^{p:g}"
    if p == 1 or dim == 1:
        return say("scaling.bars.divided_by", by=by)
    return say("scaling.bars.divided", by=by, equals=equals(dim**p, 3), number=significant(dim**p, 3))


def _sent(title: str, row: TypicalRow, n_bars: int) -> dict[str, Any]:
    told = say("scaling.bars.told", largest=percent(float(row.weights.max())), read=significant(row.read, 2),
               keys=plural(len(row.weights), "key"))  # fmt: skip
    return {
        "title": title,
        "told": told,
        "alt": f"{title}: {told}",
        "weights": row.weights[:n_bars].round(_DIGITS).tolist(),
    }


def show_row_bars(
    key: str, dims: Sequence[int], panels: Sequence[Panel], *, at: int, tokens: Sequence[str] = (),
    name: str = "d", parameter: str = "", queries: Sequence[str] = (),
) -> None:  # fmt: skip
    """Draw rows side by side; the slider begins at `dims[at]`.

    `tokens` are the keys' names; without them, the bars are sorted, and named by their positions. `name` is the name of
    d. If `parameter` of the page's query says which d is shown, `queries` are its texts, one for each d.
    """
    n_keys = len(panels[0].rows[0].weights)
    n_bars = n_keys if tokens else min(n_keys, _MOST)
    names = tokens or [say("scaling.bars.place", place=place + 1) for place in range(n_bars)]
    named = "axis" if n_bars == n_keys else "axis_of"
    axis = "" if tokens else say(f"scaling.bars.{named}", keys=plural(n_keys, "key"), shown=n_bars)
    data = {
        "dims": [*dims], "at": at, "panels": [panel.sent(n_bars) for panel in panels], "names": [*names],
        "axis": axis, "label": say("scaling.bars.slider", d=name),
        "values": [f"{name} = {dim}" for dim in dims], "even": 1 / n_keys,
        "parameter": parameter, "queries": [*queries], "from": current_mark(),
    }  # fmt: skip
    _bars(key=key, data=data)
