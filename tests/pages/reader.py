"""A reader's session with the app, whichever page is open: what can be done everywhere, and what can be read there."""

import base64
import json
import re
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

import numpy as np
from streamlit.testing.v1 import AppTest

from attnviz.app.entry import SCRIPT
from tests.golden import with_the_published

_ROOT = Path(__file__).parents[2]
PAGES = sorted(f"pages/{page.name}" for page in (_ROOT / "pages").glob("*.py"))
SEVERAL_SECONDS = 60
HERE = {"origin": "http://testserver"}  # where a page of the test client's is


def in_address(at: AppTest, name: str) -> str:
    """Return what the address says by this name once the page has heard of the last run; blank where it says none."""
    return str(at.session_state["session"].address.query.get(name, ""))


def control_of(at: AppTest, key: str) -> Any:
    """Return the control with this key; what can be done with it depends on its kind.

    One of a menu of Watch it learn has a number behind its key, once something else has set it.
    """
    keys = {found for each in at._tree if (found := getattr(each, "key", None))}
    numbered = [found for found in keys if re.fullmatch(rf"{re.escape(key)}\.\d+", found)]
    return at.get_by_key(key if key in keys or len(numbered) != 1 else numbered[0])


def as_array(drawn: Any, dtype: type = np.float32) -> np.ndarray:
    """Decode an array of a figure's JSON: a list, of numbers of this type, or Plotly's base64, which says its own."""
    if isinstance(drawn, list):
        return np.array(drawn, dtype=dtype)
    flat = np.frombuffer(base64.b64decode(drawn["bdata"]), dtype=drawn["dtype"])
    return flat.reshape([int(n) for n in drawn["shape"].split(",")]) if "shape" in drawn else flat


def heatmap_of(figure: dict[str, Any]) -> np.ndarray:
    """The numbers of a heatmap of Plotly's, whose cells stand in a trace for each colour of letters; NaN for none."""
    drawn = [each for each in figure["data"] if each["type"] == "heatmap" and "z" in each]
    numbers = [as_array(each["z"]) for each in drawn if "= %{" in each["hovertemplate"]]
    return np.fmax.reduce([*numbers, np.full(as_array(drawn[0]["z"]).shape, np.nan, dtype=np.float32)])


def sent_to(at: AppTest, component: str) -> list[dict[str, Any]]:
    """Return what the page's components of this name are given to draw, without its place among what came before."""
    protos = [element.proto for element in at.get("bidi_component")]
    given = [json.loads(p.json or p.bytes) for p in protos if p.component_name == f"attnviz_{component}"]
    return [{name: value for name, value in each.items() if name != "nth"} for each in given]


def pictures_of(at: AppTest, key: str) -> dict[str, np.ndarray]:
    """Return the numbers of the pictures that a key's component is given, by their names; NaN where a cell has none."""
    protos = [each.proto for each in at.get("bidi_component") if each.proto.component_name == "attnviz_pictures"]
    (given,) = (json.loads(each.json or each.bytes) for each in protos if each.id.endswith(f"-{key}"))
    return {name: numbers_of(each) for name, each in given["pictures"].items()}


def numbers_of(picture: dict[str, Any]) -> np.ndarray:
    """Return the numbers of a picture."""
    shape = len(picture["rows"]), len(picture["columns"])
    return np.frombuffer(base64.b64decode(picture["numbers"]), "<f4").copy().reshape(shape)


def boards_of(at: AppTest) -> list[dict[str, Any]]:
    """Return what the boards of the page are given to draw."""
    return sent_to(at, "board")


def markup_in(markdown: str) -> list[str]:
    """What a page would not show as it is: signs, and words that it makes links and emoji of, outside of code."""
    rest = re.sub(
        r"\\[!-/:-@\[-`{-~]|(?P<fence>`+)(?!`).*?(?<!`)(?P=fence)(?!`)", " ", markdown
    )  # escaped signs, and code
    return re.findall(r"(?i)[\\`*_\[\]<>&$~\n]|:\S|@|www\.|--|->|!=", rest)


class Reader:
    """A reader's session on a page: what can be done there are methods, what can be seen are properties."""

    def __init__(self, page: str = "pages/playground.py", **address: str) -> None:
        self.at = AppTest.from_file(SCRIPT, default_timeout=SEVERAL_SECONDS)
        # With nothing else in the address, the published example: a bare one opens another.
        self.at.query_params.update(with_the_published(address))
        self.visit(page)

    # What a reader does.

    def run(self) -> Self:
        self.at.run()
        assert not self.at.exception, [str(error.value) for error in self.at.exception]
        return self

    def turn_to(self, page: str) -> Self:
        """Ask for a page, which the next run draws."""
        self.at.switch_page(str(_ROOT / page))
        return self

    def visit(self, page: str) -> Self:
        return self.turn_to(page).run()

    def set(self, control: str, value: Any) -> Self:
        control_of(self.at, control).set_value(value)
        return self.run()

    def change(self, **patch: str | None) -> Self:
        """Change the page's own query, as its boards do, and have it say that."""
        query = {**self.at.session_state["session"].address.query, **patch}
        return self.say(
            {"query": urlencode({name: text for name, text in query.items() if text is not None}), "taken": ""}
        )

    def tell(self, key: str, event: str, value: Any) -> Self:
        """Have the component with this key tell that something happened there."""
        return self._say(f"{key}__events", [{"event": event, "value": value}])

    def say(self, said: Any) -> Self:
        """Have the page say this, in place of its query."""
        return self._say("address.ears", {"said": said})

    def _say(self, ending: str, value: Any) -> Self:
        session = self.at._tree._runner._session_state._state  # type: ignore[union-attr]
        (name,) = [each for each in session._new_widget_state.widget_metadata if each.endswith(f"-{ending}")]
        states = self.at._tree.get_widget_states()
        said = states.widgets.add(id=name)
        if ending.endswith("__events"):
            said.json_trigger_value = json.dumps(value)
        else:
            said.json_value = json.dumps(value)
        self.at._run(states)
        assert not self.at.exception, [str(error.value) for error in self.at.exception]
        return self

    def press(self, label: str, which: int = 0) -> Self:
        """Press the button with this label; the first of several unless told."""
        [button for button in self.at.button if button.label == label][which].click()
        return self.run()

    def press_key(self, key: str) -> Self:
        """Press the button with this key, where its label is a text of the example's."""
        self.at.button(key=key).click()
        return self.run()

    def can_press(self, label: str) -> bool:
        return any(button.label == label and not button.disabled for button in self.at.button)

    # What a reader sees.

    def sent(self, component: str) -> dict[str, Any]:
        """What the page's one component of this name is given to draw."""
        (found,) = sent_to(self.at, component)
        return found

    @property
    def boards(self) -> list[dict[str, Any]]:
        """What the boards of the page are given to draw."""
        return boards_of(self.at)

    def value(self, control: str) -> Any:
        return control_of(self.at, control).value

    @property
    def texts(self) -> list[str]:
        return [text.value for text in self.at.text]

    @property
    def says(self) -> str:
        """All texts of the page, as lines."""
        return "\n".join(self.texts)

    @property
    def captions(self) -> list[str]:
        return [caption.value for caption in self.at.caption]

    @property
    def messages(self) -> list[str]:
        """What the messages above the page say, without the backslashes that keep their signs from being markup."""
        return [re.sub(r"\\([\\`*_\[\]<>&$~])", r"\1", warning.value) for warning in self.at.warning]

    @property
    def errors(self) -> list[str]:
        return [error.value for error in self.at.error]
