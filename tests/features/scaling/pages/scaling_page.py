"""The scaling page in an AppTest session, used and read in the words of the page."""

import json
from typing import Any, Self

import numpy as np
import pandas as pd

from attnviz import sweep_scaling
from attnviz.features.scaling.curves import CURVES
from attnviz.features.sweeps.settings import SweepSettings, decode_settings, encode_settings
from attnviz.words import say
from tests.pages.reader import Reader, as_array, in_address

PROJECTIONS = ("uniform-projections", "linear-projections", "normal-projections")
SMALL = SweepSettings(dims=(2, 8, 64), trials=40, keys=8)


class ScalingPage(Reader):
    """A reader's session on the scaling page."""

    def __init__(self, settings: SweepSettings | str = SMALL, **address: str) -> None:
        sweep = settings if isinstance(settings, str) else encode_settings(settings)
        super().__init__("pages/scaling.py", **address | ({"sweep": sweep} if sweep else {}))
        if self.is_asked:
            self.press(say("predicting.skip"))
        self.unfold()

    def unfold(self) -> Self:
        """Open the boxes, which get their content only then."""
        for name in ("why", "more"):
            self.at.session_state[f"scaling_box_{name}"] = True
        return self.run()

    @property
    def is_asked(self) -> bool:
        """Whether the prediction is still to be made."""
        return self.can_press(say("predicting.skip"))

    @property
    def bars(self) -> dict[str, Any]:
        """The data that the bars of attention weights draw."""
        return self.sent("row_bars")

    def slide(self, dim: int) -> Self:
        """Move the slider of d, as its script does."""
        bars = self.bars
        return self.change(**{bars["parameter"]: bars["queries"][bars["dims"].index(dim)] or None})

    @property
    def settings(self) -> SweepSettings:
        """The settings in the URL."""
        settings, ignored = decode_settings(in_address(self.at, "sweep"))
        assert not ignored
        return settings

    @property
    def charts(self) -> dict[str, Any]:
        protos = (element.proto for element in self.at.get("plotly_chart"))
        return {proto.id.rpartition("-scaling.")[2]: proto for proto in protos}

    def figure(self, name: str) -> dict[str, Any]:
        return json.loads(self.charts[name].spec)

    def curves(self, name: str) -> dict[str, np.ndarray]:
        """Return a figure's plotted numbers, by the names in its legend."""
        drawn = (trace for trace in self.figure(name)["data"] if trace.get("mode") != "lines")
        return {trace["name"]: as_array(trace["y"], float) for trace in drawn}

    def table(self, i: int | None = None) -> pd.DataFrame:
        """Return the table at this place; without a place, the sweep's."""
        tables = [each.value for each in self.at.dataframe]
        return next(each for each in tables if "scale" in each) if i is None else tables[i]

    def shows(self, expected: pd.DataFrame) -> bool:
        """Whether the curves and the table have the numbers of this sweep."""
        for curve in CURVES:
            drawn = list(self.curves(f"curve.{curve.column}").values())
            wanted = [rows[curve.column].to_numpy() for _, rows in expected.groupby("scale", sort=False)]
            if len(drawn) != len(wanted) or not all(map(np.array_equal, drawn, wanted)):
                return False
        pd.testing.assert_frame_equal(self.table(), expected, check_exact=True)
        return True

    @property
    def picked(self) -> int:
        """The dimension that all figures mark, and that the slider shows."""
        marked = {self.figure(f"curve.{curve.column}")["layout"]["shapes"][0]["x0"] for curve in CURVES}
        slid = int(self.bars["dims"][self.bars["at"]])
        assert marked == {slid}
        return slid

    def text(self, start: str) -> str:
        (text,) = [text for text in self.texts if text.startswith(start)]
        return text


def sweep_of(settings: SweepSettings, x: Any = None) -> pd.DataFrame:
    return sweep_scaling(
        settings.dims, settings.trials, settings.seed, n_keys=settings.keys, source=settings.source, x=x,
        scales=settings.swept_scales(), statistics=settings.statistics,
    )  # fmt: skip
