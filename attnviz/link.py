"""The set-up as parameters of a URL: one table says what each is called, may be, and is by default.

Changes of matrices are one parameter, written with the characters that a URL carries as they are:
``w_q.0.1.0.9*w_v.identity*w_k.random.42`` is W_q[0, 1] = 0.9, W_v replaced by the identity, W_k drawn alone
from seed 42. ``x.example.love-ai`` is X as that worked example states it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode

from attnviz import limits
from attnviz.changes import Changes, Replacement, bring_back, changes_of
from attnviz.devices import available_devices
from attnviz.given import EXAMPLE_FILL, FILLS, RANDOM_FILL, Edit
from attnviz.numbers import DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS
from attnviz.packing import is_packed, pack, unpack
from attnviz.published import PUBLISHED_TEXT, stated_matrix
from attnviz.scenario import EMBEDDINGS, Scenario
from attnviz.seeding import INITS
from attnviz.stages import EDITABLE
from attnviz.tokens import TOKENIZERS

MAX_CHANGES_CHARACTERS = 1_000_000  # unpacked
LONGEST_PLAIN = 1500  # characters of changes that stand in a URL as they are, to be read by people
MAX_QUERY_CHARACTERS = 1_000_000
CHANGES = "edits"  # the name of the parameter that holds the changes
_GIVEN = "given."  # followed by the numbers of a matrix, rows between two underscores


@dataclass(frozen=True)
class Parameter:
    """One parameter of the URL: its name, label and explanation on screen, default, and what it may be."""

    name: str
    label: str
    default: Any
    kind: Literal["text", "choice", "whole", "number", "flag"]
    help: str
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 0

    def expected(self) -> str:
        """Say in words what this parameter may be."""
        match self.kind:
            case "choice":
                return "one of " + ", ".join(self.choices)
            case "whole":
                return f"a whole number from {self.low} to {self.high}"
            case "number":
                return f"a number from {self.low} to {self.high}"
            case "flag":
                return "true or false"
            case "text":
                return f"a text of at most {limits.MAX_TEXT_CHARACTERS} characters"

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
        Parameter("text", "Sentence", _DEFAULTS["text"], "text", "Type any sentence and press Enter."),
        Parameter("tokenizer", "Tokens are", _DEFAULTS["tokenizer"], "choice",
                  "How the sentence is cut: words and punctuation, whatever stands between blanks, or characters.",
                  choices=tuple(TOKENIZERS)),
        Parameter("embedding", "Vectors X", _DEFAULTS["embedding"], "choice",
                  "published: the published vectors of the words that have one (with d_in 3), seeded ones for others. "
                  "stable: each word's vector depends on the word, d_in and the seed alone. "
                  "table: the rows of a seeded nn.Embedding.", choices=EMBEDDINGS),
        Parameter("d_in", "d_in", _DEFAULTS["d_in"], "whole", "The length of each token's input vector.",
                  low=1, high=limits.MAX_D),
        Parameter("d_out", "d_out", _DEFAULTS["d_out"], "whole",
                  "The length of each query and key, d_k, and of each value unless d_v says another.",
                  low=1, high=limits.MAX_D),
        Parameter("d_v", "d_v", _DEFAULTS["d_v"], "whole",
                  "The length of each value, and so of each context vector. Left blank, it is d_out. "
                  "Queries and keys must share their length, because they are multiplied; values are free.",
                  low=1, high=limits.MAX_D),
        Parameter("init", "Initialization", _DEFAULTS["init"], "choice",
                  "uniform: torch.rand, between 0 and 1. linear: as nn.Linear starts, around 0. normal: torch.randn.",
                  choices=INITS),
        Parameter("seed", "Seed", _DEFAULTS["seed"], "whole",
                  "The same seed gives the same numbers as torch.manual_seed, here and in your notebook.",
                  low=0, high=limits.MAX_SEED),
        Parameter("device", "Device", _DEFAULTS["device"], "choice",
                  "Where torch computes. The inputs are drawn on the CPU, so they are the same on each.",
                  choices=tuple(available_devices())),
        Parameter("bias", "Biases b_q, b_k, b_v", _DEFAULTS["bias"], "flag",
                  "Adds a bias to every query, key and value: nn.Linear's own with linear, else zeros to edit."),
        Parameter("causal", "Causal mask", _DEFAULTS["causal"], "flag", "No token may attend to a later one."),
        Parameter("scale", "Divide by √d_k", _DEFAULTS["scale"], "flag",
                  "The scaling of scaled dot-product attention."),
        Parameter("temperature", "Temperature", _DEFAULTS["temperature"], "number",
                  "Divides the scores once more: below 1 sharpens the attention, above 1 flattens it.",
                  low=limits.MIN_TEMPERATURE, high=limits.MAX_TEMPERATURE),
        Parameter("digits", "Shown digits", DEFAULT_DIGITS, "whole", "Decimals in cells; hover shows the same.",
                  low=MIN_DIGITS, high=MAX_DIGITS),
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
    (True, ["d_in = 'abc' is not a whole number from 1 to 1024"])
    """
    try:
        given = dict(parse_qsl(query[:MAX_QUERY_CHARACTERS], keep_blank_values=True, max_num_fields=100))
    except ValueError:
        given = {}
    table = parameters()
    ignored = ["the link is too long"] if len(query) > MAX_QUERY_CHARACTERS or (query and not given) else []
    refused = ignored_in(given, table)
    ignored += [f"{name} = {given[name][:40]!r} is not {table[name].expected()}" for name in refused]
    values = values_in({name: value for name, value in given.items() if name not in refused}, table)
    try:
        plain = scenario_of(values)
    except ValueError as error:  # each value is one that it may be, but not with the others: no tokens, or too many
        ignored.append(str(error))
        plain = scenario_of(values | {"text": table["text"].default})
    changes, misfits = decode_changes(given.get(CHANGES, ""))
    scenario, left = bring_back(plain, changes)
    ignored += [f"{part[:40]!r} changes no cell of its matrices" for part in (*misfits, *change_texts(left))]
    return scenario, ignored


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
    """Write changes as the text that a URL carries: as it is while it is short, else packed.

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
    changes, ignored = _decoded(text)
    return changes, list(ignored)


@lru_cache(maxsize=8)
def _decoded(text: str) -> tuple[Changes, tuple[str, ...]]:
    try:
        plain = unpack(text, MAX_CHANGES_CHARACTERS) if is_packed(text) else text
    except ValueError:
        return Changes(), (text[:40] + "…",)
    if len(plain) > MAX_CHANGES_CHARACTERS:
        return Changes(), (plain[:40] + "…",)
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
    return Changes(tuple(edits.values()), tuple(replaced.items())), tuple(ignored)


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
