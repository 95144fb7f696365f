"""Script lines for the inputs: vectors, positions, mask, numbers by distance."""

import re

from attnviz.core.limits import MAX_TOKENS
from attnviz.core.scenario import Scenario
from attnviz.core.scenario.matrices import read_alone
from attnviz.core.seeding import alibi_slopes, second_seed
from attnviz.core.seeding.vectors import PUBLISHED_VECTORS
from attnviz.core.seeding.word_classes import rows_of
from attnviz.core.stages import BY_DISTANCE, MASK, P_MEMORY
from attnviz.export.script_lines import numbers, replaced
from attnviz.words import say

READ, MEMORY_TOKENS = "read_tokens", "kept_tokens"
MEMORY_MASK, MEMORY_DISTANCES = "kept_mask", "kept_distances"  # for the kept sentence alone


def has_seeded_vectors(scenario: Scenario, *names: str) -> bool:
    """Whether any of these token matrices (default: all) holds seeded vectors."""
    if scenario.made_by.of_table or scenario.made_by.by_class:
        return False
    of_tokens = names or (scenario.token_matrix, *[scenario.read_matrix] * scenario.reads_others)
    return any(
        getattr(scenario, name) is None
        and not all(scenario.is_published(row, name) for row in range(len(scenario.tokens_of(name))))
        for name in of_tokens
    )


def vectors(scenario: Scenario) -> list[str]:
    """Return the lines that make X or E, ``(n_tokens, d_in)``."""
    return _vectors_of(scenario, scenario.token_matrix, "tokens", scenario.seed)


def vectors_read(scenario: Scenario) -> list[str]:
    """Return the lines for the vectors of another sentence, if any."""
    if not scenario.reads_others:
        return []
    defined = has_seeded_vectors(scenario, scenario.token_matrix)
    tokens = MEMORY_TOKENS if scenario.n_memory else READ
    return _vectors_of(scenario, scenario.read_matrix, tokens, second_seed(scenario.seed), defined)


def _vectors_of(scenario: Scenario, x: str, tokens: str, seed: int, defined: bool = False) -> list[str]:
    """Return the lines that make a token matrix, with helpers unless `defined`."""
    if getattr(scenario, x) is not None:
        return replaced(scenario, x)
    if scenario.made_by.of_table:
        return [
            f"ids = {{token: i for i, token in enumerate(sorted(set({tokens})))}}",
            f"torch.manual_seed({seed})",
            "embedding = torch.nn.Embedding(len(ids), d_in)",
            f"{x} = embedding.weight.detach()[[ids[token] for token in {tokens}]]",
        ]
    own = scenario.tokens_of(x)
    if scenario.made_by.by_class:
        by_class = zip(rows_of(own, scenario.chosen_classes), own, strict=True)
        return [f"{x} = torch.tensor([", *(f"    {numbers(row)},  # {token!r}" for row, token in by_class), "])"]
    published = dict.fromkeys(token for row, token in enumerate(own) if scenario.is_published(row, x))
    if not has_seeded_vectors(scenario, x):
        rows = (f"    {numbers(PUBLISHED_VECTORS[token])},  # {token!r}" for token in own)
        return [f"{x} = torch.tensor([", *rows, "])"]
    lines: list[str] = []
    if published:
        entries = (f"    {token!r}: {numbers(PUBLISHED_VECTORS[token])}," for token in published)
        lines = ["published = {", *entries, "}", *([] if defined else ["", ""])]
    vector = "torch.tensor(published[token]) if token in published else seeded_vector(token)"
    return [
        *lines,
        *([] if defined else _seeded_vectors(scenario)),
        f"{x} = torch.stack([{vector if published else 'seeded_vector(token)'} for token in {tokens}])",
    ]


def _seeded_vectors(scenario: Scenario) -> list[str]:
    return [
        f"def seeded_vector(token):  # {say('share.script.seeded')}",
        f'    digest = hashlib.sha256(f"{scenario.seed}/{{d_in}}/{{token}}".encode("utf-8", "surrogatepass")).digest()',
        '    return torch.randn(d_in, generator=torch.Generator().manual_seed(int.from_bytes(digest[:4], "big")))',
        "",
        "",
    ]


def positions(scenario: Scenario) -> list[str]:
    """Return the lines that make P ``(n_tokens, d_in)``, if it's added.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.5, for sinusoidal ones.
    """
    if not scenario.adds_positions:
        return []
    there = ("p", P_MEMORY) if scenario.n_memory else ("p",)
    given = [name for name in there if getattr(scenario, name) is not None]
    lines = [] if len(given) == len(there) else _drawn_positions(scenario)
    return lines + [line for name in given for line in replaced(scenario, name)]


def _drawn_positions(scenario: Scenario) -> list[str]:
    """Return the lines that draw P, a kept sentence's rows first."""
    if not scenario.n_memory:
        return _lines(scenario, made="p", n="len(tokens)", split="", cut=".clone()")
    split = f".split([len({MEMORY_TOKENS}), len(tokens)])"
    return _lines(scenario, made=f"{P_MEMORY}, p", n=f"len({READ})", split=split, cut=split)


def mask(scenario: Scenario) -> list[str]:
    """Return the lines that make the mask ``(n_tokens, n_read)``, -inf where hidden."""
    if MASK not in scenario.editable:
        return []
    if scenario.mask is not None:
        return replaced(scenario, MASK)
    return scenario.mask_kind.lines(scenario.mask_size, f"len(tokens), len({_read(scenario)})", scenario.n_memory)


def kept_mask(scenario: Scenario) -> list[str]:
    """Return the lines for the kept sentence's own mask, if any."""
    if not (scenario.n_memory and scenario.n_layers > 1):
        return []
    alone = read_alone(scenario)
    lines = alone.mask_kind.lines(alone.mask_size, "len(tokens), len(tokens)", 0) if MASK in alone.editable else []
    return [re.sub(r"\b(mask|tokens)\b", r"kept_\1", line) for line in lines]


def _read(scenario: Scenario) -> str:
    """Return what the script calls the tokens that are read."""
    return READ if scenario.reads_others else "tokens"


def distances(scenario: Scenario) -> list[str]:
    """Return the lines for numbers by distance ``(n_heads, 2 * n_read-1)``.

    Source: Press et al. 2022, Train Short, Test Long, section 3, for ALiBi's.
    """
    if BY_DISTANCE not in scenario.editable:
        return []
    if scenario.by_distance is not None:
        return replaced(scenario, BY_DISTANCE)
    return _lines(scenario, n=f"len({_read(scenario)})")


def _lines(scenario: Scenario, **places: str) -> list[str]:
    """Return the script lines of the positions, with their placeholders filled."""
    position, n_heads = scenario.position, scenario.n_heads
    slopes = ", ".join(map(repr, alibi_slopes(n_heads).tolist()))
    filled = {
        "own_seed": position.seed_of(scenario.seed), "heads": n_heads, "most": MAX_TOKENS,
        "last": MAX_TOKENS - 1, "all": 2 * MAX_TOKENS - 1, "slopes": slopes,
    }  # fmt: skip
    first, *rest = (line.format(**filled, **places) for line in position.code)
    return [f"{first}  # {say(position.comment, seed=scenario.seed)}" if position.comment else first, *rest]
