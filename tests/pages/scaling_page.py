"""The scaling page in an AppTest session, used and read in the words of the page."""

import base64
import json
import re
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

from attnviz import sweep_scaling
from attnviz.figures import CURVES
from attnviz.sweep_settings import SweepSettings, decode_settings, encode_settings
from tests.pages.playground import in_address

APP = Path(__file__).parents[2] / "app.py"
SEVERAL_SECONDS = 60
SMALL = SweepSettings(dims=(2, 8, 64), trials=40, keys=8)


class ScalingPage:
    """A reader's session on the scaling page."""

    def __init__(self, settings: SweepSettings | str = SMALL, **address: str) -> None:
        self.at = AppTest.from_file(str(APP), default_timeout=SEVERAL_SECONDS)
        sweep = settings if isinstance(settings, str) else encode_settings(settings)
        self.at.query_params.update(address | ({"sweep": sweep} if sweep else {}))
        self.at.switch_page("pages/scaling.py")
        self.run()

    def run(self) -> Self:
        self.at.run()
        assert not self.at.exception, [str(error.value) for error in self.at.exception]
        return self

    def set(self, control: str, value: Any) -> Self:
        self.at.get_by_key(control).set_value(value)  # type: ignore[union-attr]
        return self.run()

    @property
    def settings(self) -> SweepSettings:
        """What the URL carries."""
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
        """The plotted numbers of a figure by the name in its legend."""
        drawn = (trace for trace in self.figure(name)["data"] if trace.get("mode") != "lines")
        return {trace["name"]: numbers(trace["y"]) for trace in drawn}

    def table(self, i: int = 0) -> pd.DataFrame:
        return self.at.dataframe[i].value

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
        """The dimension that all figures mark and the row is of."""
        marked = {self.figure(f"curve.{curve.column}")["layout"]["shapes"][0]["x0"] for curve in CURVES}
        of_row = re.search(r"Raw, d = (\d+):", self.figure("row.none")["layout"]["title"]["text"])
        assert of_row is not None
        assert marked == {int(of_row[1])}
        return int(of_row[1])

    @property
    def texts(self) -> list[str]:
        return [text.value for text in self.at.text]

    def text(self, start: str) -> str:
        (text,) = [text for text in self.texts if text.startswith(start)]
        return text

    @property
    def errors(self) -> list[str]:
        return [error.value for error in self.at.error]

    @property
    def messages(self) -> list[str]:
        return [warning.value for warning in self.at.warning]

    def press(self, key: str) -> Self:
        self.at.button(key=key).click()
        return self.run()


def numbers(written: Any) -> np.ndarray:
    """Decode numbers of a figure's JSON: a list, or Plotly's base64."""
    if isinstance(written, list):
        return np.array(written, dtype=float)
    return np.frombuffer(base64.b64decode(written["bdata"]), dtype=written["dtype"])


def sweep_of(settings: SweepSettings, x: Any = None) -> pd.DataFrame:
    return sweep_scaling(
        settings.dims, settings.trials, settings.seed, n_keys=settings.keys, source=settings.source, x=x,
        scales=settings.swept_scales(), statistics=settings.statistics,
    )  # fmt: skip
