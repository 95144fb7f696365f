"""Scenarios as JSON, written and read."""

import json
from dataclasses import fields
from typing import Any, NoReturn

from attnviz.core.limits import MAX_FILE_BYTES, RefusedError, check_type
from attnviz.core.scenario import Scenario
from attnviz.core.tokens import is_whole_text
from attnviz.words.numbers import for_json

FORMAT = "attnviz scenario"
VERSION = 1
_MOST_DIGITS = 400  # digits of a whole number; the largest float has fewer
_DEFAULTS = {field.name: field.default for field in fields(Scenario)}


def scenario_json(scenario: Scenario) -> str:
    """Return a scenario as JSON: its text and non-default settings.

    Where a mask hides a key, the JSON has "-Infinity", as that of a trace does.

    >>> print(scenario_json(Scenario("a cat", edits=[("w_q", 0, 1, 0.9)])))
    {
     "format": "attnviz scenario",
     "version": 1,
     "text": "a cat",
     "edits": [["w_q", 0, 1, 0.9]]
    }
    """
    check_type("scenario", scenario, Scenario, "a Scenario")
    set_here = {
        name: getattr(scenario, name)
        for name, default in _DEFAULTS.items()
        if name == "text" or getattr(scenario, name) != default
    }
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in _head().items()]
    lines += [f" {json.dumps(name)}: {json.dumps(_plain(value), allow_nan=False)}" for name, value in set_here.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def _plain(value: Any) -> Any:
    """Return a setting in a form that JSON can hold."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return for_json(value) if isinstance(value, float) else value


def _head() -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION}


def scenario_from_json(text: str) -> Scenario:
    """Return the scenario that a JSON text holds.

    Raises ``ValueError`` for other JSON, another version, an unknown name, or settings that no scenario may have.

    >>> scenario_from_json(scenario_json(Scenario("a cat", seed=7))) == Scenario("a cat", seed=7)
    True
    """
    check_type("text", text, str, "the text of a JSON file")
    if len(text) > MAX_FILE_BYTES:
        raise RefusedError("file_long", characters=len(text), most=MAX_FILE_BYTES)
    try:
        held = json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse, parse_int=_whole)
    except RecursionError:
        raise RefusedError("nested") from None
    except json.JSONDecodeError as error:
        raise RefusedError("no_json", line=error.lineno) from None
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise RefusedError("no_scenario")
    if held.get("version") != VERSION:
        raise RefusedError("version", value=held.get("version"))
    settings = {name: value for name, value in held.items() if name not in _head()}
    unknown = [name for name in settings if name not in _DEFAULTS]
    if unknown:
        raise RefusedError("unknown_setting", value=unknown[0])
    for name in ("text", "second"):
        sentence = settings.get(name)
        if isinstance(sentence, str) and not is_whole_text(sentence):
            raise RefusedError("half_character", value=sentence)
    return Scenario(**settings)


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise RefusedError("digits", digits=len(digits), most=_MOST_DIGITS)
    return int(digits)


def _refuse(constant: str) -> NoReturn:
    raise RefusedError("constant", value=constant)
