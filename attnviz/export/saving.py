"""A scenario as a small JSON file, saved and opened again."""

import json
from dataclasses import fields
from typing import Any, NoReturn

from attnviz.scenario import Scenario

FORMAT = "attnviz scenario"
VERSION = 1
MAX_JSON_CHARACTERS = 20_000_000
_DEFAULTS = {field.name: field.default for field in fields(Scenario)}


def scenario_json(scenario: Scenario) -> str:
    """Return a scenario as JSON: its text, and whatever is not as by default.

    >>> print(scenario_json(Scenario("a cat", edits=[("w_q", 0, 1, 0.9)])))
    {
     "format": "attnviz scenario",
     "version": 1,
     "text": "a cat",
     "edits": [["w_q", 0, 1, 0.9]]
    }
    """
    set_here = {
        name: getattr(scenario, name)
        for name, default in _DEFAULTS.items()
        if name == "text" or getattr(scenario, name) != default
    }
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in _head().items()]
    lines += [f" {json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in set_here.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def _head() -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION}


def scenario_from_json(text: str) -> Scenario:
    """Return the scenario that a JSON text holds.

    Raises ``ValueError`` for what is no such JSON, of another version, with an unknown name, or no scenario.

    >>> scenario_from_json(scenario_json(Scenario("a cat", seed=7))) == Scenario("a cat", seed=7)
    True
    """
    if len(text) > MAX_JSON_CHARACTERS:
        raise ValueError(f"the file has {len(text)} characters, expected at most {MAX_JSON_CHARACTERS}")
    try:
        held = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the file is nested too deeply, expected a scenario") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"the file is no JSON: {error}") from None
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise ValueError(f'the file is no scenario, expected "format": "{FORMAT}" in it')
    if held.get("version") != VERSION:
        raise ValueError(f"the scenario is of version {held.get('version')!r}, expected {VERSION}")
    settings = {name: value for name, value in held.items() if name not in _head()}
    unknown = [name for name in settings if name not in _DEFAULTS]
    if unknown:
        raise ValueError(f"the scenario has {unknown[0][:40]!r}, expected only {', '.join(_DEFAULTS)}")
    return Scenario(**settings)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"the file holds {constant}, expected finite numbers")
