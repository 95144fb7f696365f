"""A reader's session with the app on any page: what can be done and read everywhere."""

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
HERE = {"origin": "http://testserver"}  # the origin of pages of the test client


def in_address(at: AppTest, name: str) -> str:
    """Return this parameter of the address, once the page has received the last run; blank without one."""
    return str(at.session_state["session"].address.query.get(name, ""))


def control_of(at: AppTest, key: str) -> Any:
    """Return the control with this key; its methods depend on its kind.

    Controls in menus of Watch it learn have a number after their key, once something else has set them.
    """
    keys = {found for each in at._tree if (found := getattr(each, "key", None))}
    numbered = [found for found in keys if re.fullmatch(rf"{re.escape(key)}\.\d+", found)]
    return at.get_by_key(key if key in keys or len(numbered) != 1 else numbered[0])


def as_array(drawn: Any, dtype: type = np.float32) -> np.ndarray:
    """Decode an array in a figure's JSON: a list, with numbers of this type, or Plotly's base64 with its own type."""
    if isinstance(drawn, list):
        return np.array(drawn, dtype=dtype)
    flat = np.frombuffer(base64.b64decode(drawn["bdata"]), dtype=drawn["dtype"])
    return flat.reshape([int(n) for n in drawn["shape"].split(",")]) if "shape" in drawn else flat


def heatmap_of(figure: dict[str, Any]) -> np.ndarray:
    """Return the numbers of a Plotly heatmap, which has a trace for each text colour; NaN for a cell without one."""
    drawn = [each for each in figure["data"] if each["type"] == "heatmap" and "z" in each]
    numbers = [as_array(each["z"]) for each in drawn if "= %{" in each["hovertemplate"]]
    return np.fmax.reduce([*numbers, np.full(as_array(drawn[0]["z"]).shape, np.nan, dtype=np.float32)])


def sent_to(at: AppTest, component: str) -> list[dict[str, Any]]:
    """Return the data of the page's components of this name, without the number of the drawing."""
    protos = [element.proto for element in at.get("bidi_component")]
    given = [json.loads(p.json or p.bytes) for p in protos if p.component_name == f"attnviz_{component}"]
    return [{name: value for name, value in each.items() if name != "nth"} for each in given]


def pictures_of(at: AppTest, key: str) -> dict[str, np.ndarray]:
    """Return the numbers of the pictures in a key's component, by their names; NaN for a cell without one."""
    protos = [each.proto for each in at.get("bidi_component") if each.proto.component_name == "attnviz_pictures"]
    (given,) = (json.loads(each.json or each.bytes) for each in protos if each.id.endswith(f"-{key}"))
    return {name: numbers_of(each) for name, each in given["pictures"].items()}


def numbers_of(picture: dict[str, Any]) -> np.ndarray:
    """Return the numbers of a picture."""
    shape = len(picture["rows"]), len(picture["columns"])
    return np.frombuffer(base64.b64decode(picture["numbers"]), "<f4").copy().reshape(shape)


def boards_of(at: AppTest) -> list[dict[str, Any]]:
    """Return the data that the page's boards draw."""
    return sent_to(at, "board")


def markup_in(markdown: str) -> list[str]:
    """Return what Markdown would change outside of code: signs, and words that become links or emoji."""
    rest = re.sub(
        r"\\[!-/:-@\[-`{-~]|(?P<fence>`+)(?!`).*?(?<!`)(?P=fence)(?!`)", " ", markdown
    )  # escaped signs, and code
    return re.findall(r"(?i)[\\`*_\[\]<>&$~\n]|:\S|@|www\.|--|->|!=", rest)


class Reader:
    """A reader's session on a page: its methods are what a reader does, its properties what a reader sees."""

    def __init__(self, page: str = "pages/playground.py", **address: str) -> None:
        self.at = AppTest.from_file(SCRIPT, default_timeout=SEVERAL_SECONDS)
        # An address without anything else names the published example, because a bare one opens another example.
        self.at.query_params.update(with_the_published(address))
        self.visit(page)

    # ---- what a reader does

    def run(self) -> Self:
        self.at.run()
        assert not self.at.exception, [str(error.value) for error in self.at.exception]
        return self

    def turn_to(self, page: str) -> Self:
        """Choose the page that the next run draws."""
        self.at.switch_page(str(_ROOT / page))
        return self

    def visit(self, page: str) -> Self:
        return self.turn_to(page).run()

    def set(self, control: str, value: Any) -> Self:
        control_of(self.at, control).set_value(value)
        return self.run()

    def change(self, **patch: str | None) -> Self:
        """Change the page's own query, as its boards do, and let the page send it."""
        query = {**self.at.session_state["session"].address.query, **patch}
        return self.say(
            {"query": urlencode({name: text for name, text in query.items() if text is not None}), "taken": ""}
        )

    def tell(self, key: str, event: str, value: Any) -> Self:
        """Let the component with this key report an event."""
        return self._say(f"{key}__events", [{"event": event, "value": value}])

    def say(self, said: Any) -> Self:
        """Let the page send this in place of its query."""
        return self._say("address.receiver", {"said": said})

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
        """Press the button with this label, by default the first of several."""
        [button for button in self.at.button if button.label == label][which].click()
        return self.run()

    def press_key(self, key: str) -> Self:
        """Press the button with this key, for labels that are texts of an example."""
        self.at.button(key=key).click()
        return self.run()

    def can_press(self, label: str) -> bool:
        return any(button.label == label and not button.disabled for button in self.at.button)

    # ---- what a reader sees

    def sent(self, component: str) -> dict[str, Any]:
        """Return the data of the page's only component of this name."""
        (found,) = sent_to(self.at, component)
        return found

    @property
    def boards(self) -> list[dict[str, Any]]:
        """The data that the page's boards draw."""
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
        """The messages above the page, without the backslashes that escape Markdown."""
        return [re.sub(r"\\([\\`*_\[\]<>&$~])", r"\1", warning.value) for warning in self.at.warning]

    @property
    def errors(self) -> list[str]:
        return [error.value for error in self.at.error]
