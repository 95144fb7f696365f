"""The set-up as parameters of a URL: one table says what each is called, may be, and is by default.

Changes of matrices are one parameter, written with characters that a URL carries unchanged:
``w_q.0.1.0.9*w_v.identity*w_k.random.42`` is W_q[0, 1] = 0.9, W_v replaced by the identity, W_k drawn alone
from seed 42. ``x.example.love-ai`` is X as that worked example states it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode

from attnviz.core import limits
from attnviz.core.changes import Changes, Replacement, bring_back, changes_of
from attnviz.core.devices import available_devices
from attnviz.core.matrix_input import EXAMPLE_FILL, FILLS, RANDOM_FILL, Edit
from attnviz.core.published_matrices import PUBLISHED_TEXT, stated_matrix
from attnviz.core.scenario import Scenario
from attnviz.core.seeding import INITS
from attnviz.core.settings import CHOICES, EMBEDDINGS
from attnviz.core.stages import EDITABLE
from attnviz.core.tokens import TOKENIZERS
from attnviz.link.packing import NewerVersionError, TooMuchError, is_packed, pack, unpack
from attnviz.words import plural, say
from attnviz.words.numbers import DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS

MAX_CHANGES_CHARACTERS = 1_000_000  # unpacked
LONGEST_PLAIN = 1500  # characters of changes that stand in a URL as they are, to be read by people
MAX_QUERY_CHARACTERS = 1_000_000
CHANGES = "edits"  # the name of the parameter that holds the changes
_GIVEN = "given."  # followed by the numbers of a matrix, rows between two underscores


@dataclass(frozen=True)
class Parameter:
    """One parameter of the URL: its name, default, and what it may be; the catalogue has its label and its help."""

    name: str
    default: Any
    kind: Literal["text", "choice", "whole", "number", "flag"]
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 0

    @property
    def label(self) -> str:
        """What its control is called."""
        return say(f"setup.{self.name}.label")

    @property
    def help(self) -> str:
        """What its control explains when it is asked."""
        return say(f"setup.{self.name}.help")

    def expected(self) -> str:
        """Say in words what this parameter may be."""
        match self.kind:
            case "choice":
                return say("links.expected.choice", choices=", ".join(self.choices))
            case "whole" | "number":
                return say(f"links.expected.{self.kind}", low=self.low, high=self.high)
            case "flag":
                return say("links.expected.flag")
            case "text":
                return say("links.expected.text", characters=plural(limits.MAX_TEXT_CHARACTERS, "character"))

    def accepts(self, raw: str) -> bool:
        """Whether a raw value from a URL is one that this parameter may be; blank, where blank is the default."""
        if raw == "" and self.default is None:
            return True
        match self.kind:
            case "choice":
                return raw in self.choices
            case "whole":
                return raw.isascii() and raw.isdigit() and len(raw) < 20 and self.low <= int(raw) <= self.high
            case "number":
                try:
                    return self.low <= float(raw) <= self.high
                except ValueError:
                    return False
            case "flag":
                return raw.lower() in ("true", "false")
            case "text":
                return len(raw) <= limits.MAX_TEXT_CHARACTERS

    def read(self, raw: str) -> Any:
        """Return the value that an accepted raw value stands for."""
        match self.kind:
            case "whole":
                return int(raw) if raw else None
            case "number":
                return float(raw)
            case "flag":
                return raw.lower() == "true"
            case _:
                return raw


_DEFAULTS = {field.name: field.default for field in fields(Scenario)} | {
    "text": PUBLISHED_TEXT,
    "embedding": "published",
}


@cache
def parameters() -> Mapping[str, Parameter]:
    """Return the table of parameters, by name; the devices are those of this machine.

    >>> parameters()["d_in"].expected()
    'a whole number from 1 to 1024'
    """
    table = (
        Parameter("text", _DEFAULTS["text"], "text"),
        Parameter("tokenizer", _DEFAULTS["tokenizer"], "choice", tuple(TOKENIZERS)),
        Parameter("embedding", _DEFAULTS["embedding"], "choice", EMBEDDINGS),
        Parameter("d_in", _DEFAULTS["d_in"], "whole", low=1, high=limits.MAX_D),
        Parameter("d_out", _DEFAULTS["d_out"], "whole", low=1, high=limits.MAX_D),
        Parameter("d_v", _DEFAULTS["d_v"], "whole", low=1, high=limits.MAX_D),
        Parameter("positions", _DEFAULTS["positions"], "choice", CHOICES["positions"]),
        Parameter("d_ff", _DEFAULTS["d_ff"], "whole", low=1, high=limits.MAX_D),
        Parameter("activation", _DEFAULTS["activation"], "choice", CHOICES["activation"]),
        Parameter("init", _DEFAULTS["init"], "choice", INITS),
        Parameter("seed", _DEFAULTS["seed"], "whole", low=0, high=limits.MAX_SEED),
        Parameter("device", _DEFAULTS["device"], "choice", tuple(available_devices())),
        Parameter("bias", _DEFAULTS["bias"], "flag"),
        Parameter("causal", _DEFAULTS["causal"], "flag"),
        Parameter("scale", _DEFAULTS["scale"], "flag"),
        Parameter("temperature", _DEFAULTS["temperature"], "number",
                  low=limits.MIN_TEMPERATURE, high=limits.MAX_TEMPERATURE),
        Parameter("digits", DEFAULT_DIGITS, "whole", low=MIN_DIGITS, high=MAX_DIGITS),
    )  # fmt: skip
    return MappingProxyType({parameter.name: parameter for parameter in table})


def ignored_in(query: Mapping[str, str], table: Mapping[str, Parameter]) -> list[str]:
    """Return the names of the parameters whose value in the URL cannot be used.

    >>> ignored_in({"d_in": "abc", "seed": "7"}, parameters())
    ['d_in']
    """
    return [name for name, raw in query.items() if name in table and not table[name].accepts(raw)]


def values_in(query: Mapping[str, str], table: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the value of each parameter in a URL, where :func:`ignored_in` names none; defaults where it has none.

    >>> values = values_in({"d_in": "5"}, parameters())
    >>> values["d_in"], values["seed"]
    (5, 123)
    """
    return {
        name: parameter.read(query[name]) if name in query else parameter.default for name, parameter in table.items()
    }


def scenario_of(values: Mapping[str, Any]) -> Scenario:
    """Return the scenario of the values of the parameters; those that only concern the view are left out.

    Raises ``ValueError`` as :class:`attnviz.Scenario` does.

    >>> scenario_of({"text": "a cat", "digits": 2}).tokens
    ('a', 'cat')
    """
    return Scenario(**{name: value for name, value in values.items() if name in _DEFAULTS})


def query_of(scenario: Scenario, **others: str) -> str:
    """Return a scenario as the query of a URL, defaults left out, with `others` as further parameters.

    >>> query_of(Scenario(embedding="published", seed=7, causal=True, edits=[("w_q", 0, 1, 0.9)]))
    'seed=7&causal=true&edits=w_q.0.1.0.9'
    """
    query = {
        name: _in_a_url(getattr(scenario, name))
        for name, parameter in parameters().items()
        if name in _DEFAULTS and getattr(scenario, name) != parameter.default
    }
    changes = encode_changes(changes_of(scenario))
    return urlencode(query | ({CHANGES: changes} if changes else {}) | others, safe="*", errors="surrogatepass")


def _in_a_url(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def scenario_from_query(query: str) -> tuple[Scenario, list[str]]:
    """Return the scenario that the query of a URL stands for, and in words what was ignored.

    Whatever is damaged or of others is left out; of a parameter that comes twice, the last counts.

    >>> scenario, ignored = scenario_from_query("seed=7&d_in=abc")
    >>> scenario == Scenario(embedding="published", seed=7), ignored
    (True, ["d_in = 'abc' should be a whole number from 1 to 1024; 3 is used."])
    """
    try:
        given = dict(parse_qsl(query[:MAX_QUERY_CHARACTERS], keep_blank_values=True, max_num_fields=100))
    except ValueError:
        given = {}
    table = parameters()
    too_long = len(query) > MAX_QUERY_CHARACTERS or (query and not given)
    ignored = [say("links.query_too_long")] if too_long else []
    refused = ignored_in(given, table)
    ignored += [refusal(table[name], repr(given[name][:40])) for name in refused]
    values = values_in({name: value for name, value in given.items() if name not in refused}, table)
    try:
        plain = scenario_of(values)
    except ValueError:  # each value is one that it may be, but not with the others: no tokens, or too many
        ignored.append(say("links.tokens", most=f"{limits.MAX_TOKENS:,}"))
        plain = scenario_of(values | {"text": table["text"].default})
    changes, misfits = decode_changes(given.get(CHANGES, ""))
    scenario, left = bring_back(plain, changes)
    misfits += change_texts(left)
    if misfits:
        ignored.append(changes_refused(given[CHANGES], misfits, repr(misfits[0][:40])))
    return scenario, ignored


def refusal(parameter: Parameter, raw: str) -> str:
    """Say that a value of a link can't be used (`raw` is the value ready to be shown), and what is used instead."""
    used = parameter.default
    return say(
        "links.value", name=parameter.name, raw=raw, expected=parameter.expected(),
        used="d_out" if used is None else _in_a_url(used),
    )  # fmt: skip


def changes_refused(text: str, misfits: Sequence[str], first: str) -> str:
    """Say why parts of the changes in a link can't be used; `first` is the first of them, ready to be shown."""
    unreadable = _decoded(text)[2]
    if unreadable:
        return say(f"links.unreadable.{unreadable}", what=say("links.unreadable.changes"))
    return say("links.changes.misfit", n=len(misfits), first=first)


def change_texts(changes: Changes) -> list[str]:
    """Return each change as the part of a URL's text that stands for it.

    >>> change_texts(Changes((Edit("w_q", 0, 1, 0.9),), (("w_v", "identity"), ("w_k", ((1.0, 2.0), (3.0, 0.5))))))
    ['w_v.identity', 'w_k.given.1.0_2.0__3.0_0.5', 'w_q.0.1.0.9']
    """
    parts = [f"{name}.{_fill_text(by)}" for name, by in changes.replaced]
    return parts + [f"{edit.matrix}.{edit.row}.{edit.column}.{_number_text(edit.value)}" for edit in changes.edits]


def _number_text(value: float) -> str:
    return repr(value).replace("+", "")  # a plus sign would be read as a blank: 1e30 for 1e+30


def _fill_text(by: Replacement) -> str:
    if isinstance(by, str):
        return by.replace(":", ".")
    return _GIVEN + "__".join("_".join(_number_text(value) for value in row) for row in by)


@lru_cache(maxsize=8)  # asked for in every run; tens of thousands of numbers take a tenth of a second to pack
def encode_changes(changes: Changes) -> str:
    """Write changes as the text that a URL carries: plain while it is short, else packed.

    >>> encode_changes(Changes((Edit("w_q", 0, 1, 0.9),), (("w_v", "identity"),)))
    'w_v.identity*w_q.0.1.0.9'
    """
    text = "*".join(change_texts(changes))
    return text if len(text) <= LONGEST_PLAIN else pack(text)


def decode_changes(text: str) -> tuple[Changes, list[str]]:
    """Read changes from the text of a URL; return also the parts that are none.

    >>> decode_changes("w_q.0.1.0.9*nonsense")
    (Changes(edits=(Edit(matrix='w_q', row=0, column=1, value=0.9),), replaced=()), ['nonsense'])
    """
    changes, ignored, unreadable = _decoded(text)
    return changes, [*ignored, *([text[:40] + "…"] if unreadable else [])]


Unreadable = Literal["", "damaged", "newer", "too_much"]


def why_unreadable(error: ValueError) -> Unreadable:
    """Return in one word why a packed part of a link can't be read, from what reading it raised.

    >>> why_unreadable(NewerVersionError()), why_unreadable(ValueError())
    ('newer', 'damaged')
    """
    return (
        "newer"
        if isinstance(error, NewerVersionError)
        else "too_much"
        if isinstance(error, TooMuchError)
        else "damaged"
    )


@lru_cache(maxsize=8)
def _decoded(text: str) -> tuple[Changes, tuple[str, ...], Unreadable]:
    """Return the changes, the parts that are none, and why there is nothing that can be read."""
    try:
        plain = unpack(text, MAX_CHANGES_CHARACTERS) if is_packed(text) else text
    except ValueError as error:
        return Changes(), (), why_unreadable(error)
    if len(plain) > MAX_CHANGES_CHARACTERS:
        return Changes(), (), "too_much"
    edits: dict[tuple[str, int, int], Edit] = {}
    replaced: dict[str, Replacement] = {}
    ignored: list[str] = []
    for part in plain.split("*") if plain else []:
        name, _, rest = part.partition(".")
        try:
            if name not in EDITABLE:
                raise ValueError(part)
            if rest in FILLS or rest.startswith(("random.", "example.", _GIVEN)):
                replaced[name] = _fill(name, rest)
            else:
                row, column, value = rest.split(".", 2)
                edits[name, int(row), int(column)] = Edit(name, int(row), int(column), float(value))
        except ValueError:
            ignored.append(part)
    return Changes(tuple(edits.values()), tuple(replaced.items())), tuple(ignored), ""


def _fill(name: str, rest: str) -> Replacement:
    if rest in FILLS:
        return rest
    if rest.startswith(_GIVEN):
        return tuple(tuple(float(value) for value in row.split("_")) for row in rest.removeprefix(_GIVEN).split("__"))
    if rest.startswith("example."):
        example = rest.removeprefix("example.")
        if stated_matrix(example, name) is None:
            raise ValueError(f"{example!r} states no {name}")
        return f"{EXAMPLE_FILL}{example}"
    seed = limits.check_whole("seed", int(rest.removeprefix("random.")), 0, limits.MAX_SEED)
    return f"{RANDOM_FILL}{seed}"
