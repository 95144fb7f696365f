"""The set-up's controls, scenarios as URL queries, and named examples.

To add a parameter, add its name here, and its control in attnviz/app/shell/setup.py. A setting of attention itself, a
field of `Scoring` (attnviz/core/stages/attending.py), gets both automatically.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from attnviz.core import limits
from attnviz.core.carry_over import bring_back
from attnviz.core.changes import Changes, changes_of
from attnviz.core.constraints import CONSTRAINTS
from attnviz.core.limits import RefusedError, check_choice
from attnviz.core.machine import available_devices
from attnviz.core.scenario import SETTINGS, Scenario
from attnviz.core.seeding.vectors import PUBLISHED_TEXT
from attnviz.core.seeding.word_classes import MOST_CHARACTERS as MOST_OF_CLASSES
from attnviz.core.seeding.word_classes import MOST_CHOSEN, chosen_classes, classes_text
from attnviz.core.settings import CHOICES, FLAGS, MAY_BE_NONE, NUMBERS, TEXTS, WHOLE, fitted
from attnviz.core.tokens import tokenize
from attnviz.core.what_if import MOST_CHARACTERS, WhatIf
from attnviz.link.changes_text import ChangesText, encode_changes, with_unfitting
from attnviz.link.codecs import Choice, Codec, Flag, FunctionCodec, Number, Text, UnreadableError, Whole
from attnviz.link.parameter import Parameter
from attnviz.published import OPENING, starting_points
from attnviz.published.by_class import by_class
from attnviz.words import DeferredText, catalogue, say, thousands
from attnviz.words.numbers import DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS

MAX_QUERY_CHARACTERS = 1_000_000
# The limit, in characters, for the changes together with the set-up A. Both are sent with every click: 200 000
# characters (32 768 random float32 numbers) slow it down by 0.1 to 0.3 s, and 400 000 by half a second.
MOST_GIVEN = 250_000
CHANGES = "edits"
EDITS = Parameter(CHANGES, Changes(), ChangesText(), MOST_GIVEN)


@dataclass(frozen=True)
class Control(Parameter):
    """A parameter with a control; the catalogue has its label and help."""

    label = DeferredText("setup.{its.name}.label")
    help = DeferredText("setup.{its.name}.help")

    def called(self, choice: object) -> str:
        """Return a choice's name; without a text, the device's or itself."""
        return self._said(choice, "called") or available_devices().get(str(choice), str(choice))

    def meaning(self, choice: object) -> str:
        """Return what a choice means; blank if there's no text."""
        return self._said(choice, "means")

    def _said(self, choice: object, what: str) -> str:
        key = f"setup.{self.name}.choices.{str(choice).replace('-', '_')}.{what}"
        return say(key) if key in catalogue() else ""


def _classes(raw: str) -> str:
    """Read the chosen classes of words; if too many, the first."""
    by_word = {part.rpartition(":")[0]: part for part in raw.split()}
    kept = classes_text(chosen_classes(" ".join(list(by_word.values())[:MOST_CHOSEN])))
    if len(by_word) > MOST_CHOSEN:
        raise UnreadableError("links.classes", kept, told=len(by_word), most=MOST_CHOSEN)
    return kept


# What-if switches under their present names, separated by commas; blank for none.
SWITCHES = FunctionCodec(lambda raw: WhatIf.read(raw).text, str, lambda: say("links.expected.what_if"))
CLASSES = FunctionCodec(_classes, str, lambda: say("links.expected.word_classes"))
_DEFAULTS = {each.name: each.default for each in fields(Scenario) if each.name in SETTINGS} | {
    "text": PUBLISHED_TEXT,
    "embedding": "published",
    "digits": DEFAULT_DIGITS,
}


def _codec(name: str) -> Codec:
    if name in TEXTS:
        return Text(TEXTS[name])
    if name in CHOICES:
        return Choice(CHOICES[name])
    if name in FLAGS:
        return Flag()
    whole, blank = name in WHOLE, name in MAY_BE_NONE
    return Whole(*WHOLE[name], blank) if whole else Number(*NUMBERS[name], blank)


# The controls in the order in which they're listed; _FIRST are those in the first form of links, and _USED has the keys
# of the words for what replaces an unusable value.
_LISTED = (
    "text", "tokenizer", "embedding", "d_in", "d_out", "d_v", "n_heads", "n_kv_heads", "output", "norm", "n_layers",
    "same_layers", "positions", "embedding_factor", "weighting", "reads", "second", "word_classes", "d_ff",
    "activation", "init", "seed", "device", "bias", "causal", "masking", "mask_size", "mask_use", "scale",
    "temperature", "what_if", "digits",
)  # fmt: skip
# A setting of attention that isn't listed has its control beside that of the weighting.
BESIDE_WEIGHTING = tuple(name for name in SETTINGS if name not in _LISTED)
_CONTROLS = (*_LISTED, *BESIDE_WEIGHTING)
_FIRST = ("text", "tokenizer", "embedding", "d_in", "d_out", "d_v", "init", "seed", "device", "bias", "causal", "scale",
          "temperature", "digits")  # fmt: skip
_USED = {"d_v": "links.used.d_out", "n_kv_heads": "links.used.n_heads"}


@cache
def parameters() -> Mapping[str, Control]:
    """Return the set-up's controls by name, with this machine's devices."""
    own: dict[str, Codec] = {
        "device": Choice(tuple(available_devices())),
        "digits": Whole(MIN_DIGITS, MAX_DIGITS),
        "what_if": SWITCHES,
        "word_classes": CLASSES,
    }
    most = {**TEXTS, "what_if": MOST_CHARACTERS, "word_classes": MOST_OF_CLASSES}
    rows = (
        Control(name, _DEFAULTS[name], own.get(name) or _codec(name), most.get(name, 40), 1 if name in _FIRST else 2,
                used=_USED.get(name, ""))
        for name in _CONTROLS
    )  # fmt: skip
    return MappingProxyType({row.name: row for row in rows})


def read_controls(query: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, UnreadableError]]:
    """Return each control's value in a URL, and errors for unusable ones."""
    table = parameters()
    read = {name: table[name].read(raw) for name, raw in query.items() if name in table}
    values = {name: read[name][0] if name in read else control.default for name, control in table.items()}
    return values, {name: error for name, (_, error) in read.items() if error}


def scenario_of(values: Mapping[str, Any], **matrices: Any) -> Scenario:
    """Return the scenario of the controls' values and these `matrices`.

    Controls of the view are left out. Raises ``ValueError`` as :class:`attnviz.Scenario` does.
    """
    return Scenario(**{name: value for name, value in values.items() if name in SETTINGS}, **matrices)


def conflict_text(error: RefusedError, values: Mapping[str, Any]) -> str:
    """Say why a setting doesn't fit, and which of `values` is used."""
    return CONSTRAINTS[error.kind].said(values, str(error)) if error.kind in CONSTRAINTS else str(error)


def query_of(scenario: Scenario, **others: str) -> str:
    """Return a scenario as a URL's query, without defaults but with `others`."""
    controls = {name: each for name, each in parameters().items() if name in SETTINGS}
    query = {
        name: each.write(value) for name, each in controls.items() if (value := getattr(scenario, name)) != each.default
    }
    changes = encode_changes(changes_of(scenario))
    return urlencode(query | ({CHANGES: changes} if changes else {}) | others, safe="*", errors="surrogatepass")


def scenario_from_query(query: str) -> tuple[Scenario, list[str]]:
    """Return the scenario of a URL's query, and sentences on what's ignored.

    Damaged and foreign parameters are left out; if a parameter occurs twice, the last one counts.
    """
    try:
        given = dict(parse_qsl(query[:MAX_QUERY_CHARACTERS], keep_blank_values=True, max_num_fields=100))
    except ValueError:
        given = {}
    too_long = len(query) > MAX_QUERY_CHARACTERS or (query and not given)
    ignored = [say("links.query_too_long")] if too_long else []
    values, refused = read_controls(given)
    ignored += [parameters()[name].refusal(given[name], error, quoted) for name, error in refused.items()]
    # Each value is valid by itself, but may not fit the others: no tokens or too many, or heads that don't fit.
    n_tokens = len(tokenize(values["text"], values["tokenizer"]))
    if not 1 <= n_tokens <= limits.MAX_TOKENS:
        ignored.append(say("links.tokens", most=thousands(limits.MAX_TOKENS)))
        values["text"] = _DEFAULTS["text"]
        n_tokens = len(tokenize(values["text"], values["tokenizer"]))
    values, conflicts = fitted(values, n_tokens)
    ignored += [conflict_text(error, values) for error in conflicts]
    plain = scenario_of(values)
    changes, error = EDITS.read(given.get(CHANGES, ""))
    scenario, left = bring_back(plain, changes)
    if error := with_unfitting(error, left, scenario):
        ignored.append(EDITS.refusal(given[CHANGES], error, quoted))
    return scenario, ignored


def quoted(text: str) -> str:
    """Return a part of a link in quotes, cut to 40 characters."""
    return repr(text[:40])


VECTORS_OF_OPENING = f"x.example.{OPENING}"  # as part of a link's changes


def settings_by_class() -> dict[str, str]:
    """Return the settings that a query has for a typed sentence.

    A page adds them when a reader types a sentence in place of the opening example's.
    """
    query = dict(parse_qsl(query_of(by_class("a"))))
    return {name: text for name, text in query.items() if name not in ("text", CHANGES)}


EXAMPLE = "example"  # the name of the parameter
PUBLISHED = "published"  # its value that means the defaults of all other parameters
EXAMPLES = (*starting_points(), PUBLISHED)


def with_example(query: Mapping[str, str]) -> dict[str, str]:
    """Return a link's parameters over those of the example it names.

    Raises ``ValueError`` for an unknown example.
    """
    own = {name: text for name, text in query.items() if name != EXAMPLE}
    if query.get(EXAMPLE, PUBLISHED) == PUBLISHED:
        return own
    check_choice("example", query[EXAMPLE], EXAMPLES)
    stated = dict(parse_qsl(query_of(starting_points()[query[EXAMPLE]].scenario)))
    changes = [part for part in (stated.get(CHANGES), own.get(CHANGES)) if part]
    return stated | own | ({CHANGES: "*".join(changes)} if changes else {})
