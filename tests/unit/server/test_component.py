"""What a component is given says its place among what the session gave it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import streamlit as st

from attnviz.app.session.component import component

DRAWS = "export default ({ data }) => data;"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What Streamlit is given as data, drawing by drawing."""
    found: list[Any] = []
    drawing = Mock(side_effect=lambda *, data, **_: found.append(data))
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st.components.v2, "component", Mock(return_value=drawing))
    return found


def read(data: Mapping[str, Any] | bytes) -> dict[str, Any]:
    return dict(data) if isinstance(data, Mapping) else dict(json.loads(data))


@pytest.mark.parametrize("form", [dict, lambda data: json.dumps(data).encode()], ids=["dict", "bytes"])
def test_each_change_comes_after_the_one_before_and_what_stayed_keeps_its_place(form: Any, given: list[Any]) -> None:
    draw = component("one", "", lambda: DRAWS)
    for n in (1, 1, 2, 1):
        draw(key="one", data=form({"n": n}))
    draw(key="other", data=form({"n": 0}))
    ((session, first), *others) = [read(each)["nth"] for each in given]
    assert [at - first for _, at in others] == [0, 1, 2, 0]
    assert {name for name, _ in others} == {session}
    assert [read(each).get("n") for each in given] == [1, 1, 2, 1, 0]


def test_another_session_has_another_name(given: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    draw = component("one", "", lambda: DRAWS)
    for _ in range(2):
        monkeypatch.setattr(st, "session_state", {})
        draw(key="one", data={})
    assert given[0]["nth"][0] != given[1]["nth"][0]


def test_a_script_of_more_than_one_part_is_drawn_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registers = Mock()
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st.components.v2, "component", registers)
    (tmp_path / "one.js").write_text("export default function one({ data }) {\n  return data;\n}\n")
    component("one", "", tmp_path / "one.js")(key="one", data={})
    js = registers.call_args.kwargs["js"]
    assert js.count("export default ") == 1
    assert js.rstrip().endswith("export default inOrder(draw);")
