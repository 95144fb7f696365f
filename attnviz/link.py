"""The set-up as parameters of a URL: one table says what each is called, may be, and is by default.

Changes of matrices are one parameter, written with the characters that a URL carries as they are:
``w_q.0.1.0.9*w_v.identity*w_k.random.42`` is W_q[0, 1] = 0.9, W_v replaced by the identity, W_k drawn alone
from seed 42. ``x.example.love-ai`` is X as that worked example states it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from attnviz import limits
from attnviz.changes import Changes
from attnviz.devices import available_devices
from attnviz.numbers import DEFAULT_DIGITS, MAX_DIGITS, MIN_DIGITS
from attnviz.published import PUBLISHED_TEXT, stated_matrix
from attnviz.scenario import EMBEDDINGS, EXAMPLE_FILL, FILLS, RANDOM_FILL, Edit, Scenario
from attnviz.seeding import INITS
from attnviz.stages import EDITABLE
from attnviz.tokens import TOKENIZERS

MAX_CHANGES_CHARACTERS = 200_000


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
                return "a text"

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


def scenario_of(values: Mapping[str, Any]) -> Scenario:
    """Return the scenario of the values of the parameters; those that only concern the view are left out.

    Raises ``ValueError`` as :class:`attnviz.Scenario` does.

    >>> scenario_of({"text": "a cat", "digits": 2}).tokens
    ('a', 'cat')
    """
    return Scenario(**{name: value for name, value in values.items() if name in _DEFAULTS})


def encode_changes(changes: Changes) -> str:
    """Write changes as the text that a URL carries.

    >>> encode_changes(Changes((Edit("w_q", 0, 1, 0.9),), (("w_v", "identity"),)))
    'w_v.identity*w_q.0.1.0.9'
    """
    parts = [f"{name}.{by.replace(':', '.')}" for name, by in changes.replaced if isinstance(by, str)]
    # A plus sign would be read as a blank: 1e30 for 1e+30.
    parts += [f"{edit.matrix}.{edit.row}.{edit.column}.{edit.value!r}".replace("+", "") for edit in changes.edits]
    return "*".join(parts)


def decode_changes(text: str) -> tuple[Changes, list[str]]:
    """Read changes from the text of a URL; return also the parts that are none.

    >>> decode_changes("w_q.0.1.0.9*nonsense")
    (Changes(edits=(Edit(matrix='w_q', row=0, column=1, value=0.9),), replaced=()), ['nonsense'])
    """
    if len(text) > MAX_CHANGES_CHARACTERS:
        return Changes(), [text[:40] + "…"]
    edits: dict[tuple[str, int, int], Edit] = {}
    replaced: dict[str, str] = {}
    ignored: list[str] = []
    for part in text.split("*") if text else []:
        name, _, rest = part.partition(".")
        try:
            if name not in EDITABLE:
                raise ValueError(part)
            if rest in FILLS or rest.startswith(("random.", "example.")):
                replaced[name] = _fill(name, rest)
            else:
                row, column, value = rest.split(".", 2)
                edits[name, int(row), int(column)] = Edit(name, int(row), int(column), float(value))
        except ValueError:
            ignored.append(part)
    return Changes(tuple(edits.values()), tuple(replaced.items())), ignored


def _fill(name: str, rest: str) -> str:
    if rest in FILLS:
        return rest
    if rest.startswith("example."):
        example = rest.removeprefix("example.")
        if stated_matrix(example, name) is None:
            raise ValueError(f"{example!r} states no {name}")
        return f"{EXAMPLE_FILL}{example}"
    seed = limits.check_whole("seed", int(rest.removeprefix("random.")), 0, limits.MAX_SEED)
    return f"{RANDOM_FILL}{seed}"
