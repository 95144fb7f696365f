"""Sentences about where a set-up's numbers are from: drawn, published or given."""

from collections.abc import Sequence

from attnviz.core.layers import named, placed
from attnviz.core.matrix_input import EXAMPLE_FILL, example_of
from attnviz.core.scenario import Scenario
from attnviz.core.scenario.chance import is_drawn
from attnviz.core.seeding import second_seed
from attnviz.core.seeding.vectors import called, chosen_matrices, stated_features
from attnviz.core.seeding.word_classes import FEATURES
from attnviz.core.stages import KEPT, P_MEMORY, STAGES
from attnviz.core.tokens import token_labels
from attnviz.explanation.origins import filled_with, symbol_in_words
from attnviz.explanation.summary import LONGEST_NAME
from attnviz.words import listed, plural, say
from attnviz.words.numbers import significant

_PROJECTIONS = ("w_q", "w_k", "w_v")
_NAMED_AT_MOST = 3  # tokens


def vectors_in_words(scenario: Scenario) -> str:
    """Say which tokens have published vectors and which have seeded ones.

    >>> vectors_in_words(Scenario(embedding="published"))
    'All 6 tokens have their published vectors.'
    """
    told = [_vectors_in_words(scenario)]
    if not scenario.adds_positions:
        told.append(_unadded_positions(scenario))
    else:
        told += _places_in_words(scenario)
    return " ".join(filter(None, [*told, _second_in_words(scenario)]))


def _places_in_words(scenario: Scenario) -> list[str]:
    """Return which position vectors are given, and where the others are from."""
    there = ("p", *[P_MEMORY] * bool(scenario.n_memory))
    given = [name for name in there if getattr(scenario, name) is not None]
    drawn = [name for name in there if name not in given]
    symbols, seed = {name: scenario.stage(name).symbol for name in there}, scenario.position.seed_of(scenario.seed)
    if not given:
        return [say(f"summary.positions.{scenario.positions}", seed=seed)]
    told = [say("summary.positions.given", names=listed([symbols[name] for name in given]))]
    beside = f"summary.positions.{scenario.positions}_beside"
    return told + [say(beside, name=symbols[name], seed=seed) for name in drawn]


def _second_in_words(scenario: Scenario) -> str:
    """Return where other tokens' vectors are from; empty for the sentence itself."""
    if not scenario.reads_others:
        return ""
    of_read = scenario.read_matrix
    drawn = "given" if getattr(scenario, of_read) is not None else "table" if scenario.made_by.of_table else "drawn"
    read = "kept" if scenario.reads == KEPT else "second"
    symbol, n = scenario.stage(of_read).symbol, len(scenario.second_tokens)
    told = [say(f"summary.{read}.{drawn}", n=n, seed=second_seed(scenario.seed), symbol=symbol)]
    if scenario.n_memory and scenario.adds_positions:
        last = n + len(scenario.tokens) - 1
        told.append(say("summary.kept.place" if last == n else "summary.kept.places", first=n, last=last))
    if scenario.n_memory and scenario.n_layers > 1:
        told.append(say("summary.kept.layers"))
    return " ".join(told)


def _unadded_positions(scenario: Scenario) -> str:
    """Say how attention knows positions if no vectors are added; else nothing."""
    position = scenario.position
    if not position.of_one_sentence:
        return ""
    kind = position.name if scenario.by_distance is None else "distances"
    return say(f"summary.positions.{kind}", seed=position.seed_of(scenario.seed))


def _vectors_in_words(scenario: Scenario) -> str:
    given = getattr(scenario, scenario.token_matrix)
    if given is not None and len(scenario.rows_beside_example) < len(scenario.tokens):
        symbol = scenario.stage(scenario.token_matrix).symbol
        if not isinstance(given, str):
            return say("summary.vectors.given", symbol=symbol)
        if given.startswith(EXAMPLE_FILL):
            said = say("summary.vectors.example", example=called(example_of(given)))
            return " ".join(filter(None, (said, beside_example(scenario))))
        return say("summary.vectors.filled", symbol=symbol, by=filled_with(given))
    if scenario.made_by.by_class:
        return say("summary.vectors.class")
    if scenario.made_by.of_table:
        return say("summary.vectors.table", seed=scenario.seed)
    n_tokens = len(scenario.tokens)
    published = sum(scenario.is_published(row) for row in range(n_tokens))
    if published == n_tokens:
        return say("summary.vectors.published", n=n_tokens)
    if published:
        return say("summary.vectors.some_published", n=published, count=n_tokens, seed=scenario.seed)
    return say("summary.vectors.seeded", seed=scenario.seed)


def beside_example(scenario: Scenario) -> str:
    """Say which tokens an example has no vectors for; blank for none.

    >>> beside_example(Scenario("the fluffy cat chased a dog", x="example:fluffy-cat"))
    'No vector was made for “dog”: it is drawn at random.'
    """
    beside = () if scenario.made_by.by_class else scenario.rows_beside_example
    drawn = [scenario.tokens[row] for row in beside if not scenario.is_published(row)]
    labels = [say("summary.named", token=label) for label in token_labels(tuple(dict.fromkeys(drawn)), LONGEST_NAME)]
    if len(labels) > _NAMED_AT_MOST:
        return say("summary.vectors.beside_many", words=plural(len(labels), "token"))
    return say("summary.vectors.beside", n=len(labels), tokens=listed(labels)) if labels else ""


def features_of(scenario: Scenario) -> tuple[str, ...]:
    """Return an example's names for X's columns; empty if tokens differ.

    >>> features_of(Scenario("the fluffy cat chased a mouse", x="example:fluffy-cat")), features_of(Scenario())
    (('noun', 'adjective', 'verb'), ())
    >>> features_of(Scenario("the fluffy dog chased a mouse", x="example:fluffy-cat"))
    ()
    """
    if scenario.found_classes:
        return tuple(say(f"published.fluffy-cat.feature.{feature}") for feature in FEATURES)
    return () if scenario.rows_beside_example else stated_features(example_of(scenario.x))


def drawn_vectors(scenario: Scenario) -> str:
    """Return in two words whether X is random; empty if it isn't.

    >>> drawn_vectors(Scenario("my dog")), drawn_vectors(Scenario("the fluffy dog", x="example:fluffy-cat"))
    ('random input', 'partly random input')
    """
    given = getattr(scenario, scenario.token_matrix)
    beside = scenario.rows_beside_example
    drawn = [
        row
        for row in range(len(scenario.tokens))
        if (given is None or row in beside) and not scenario.is_published(row)
    ]
    if not drawn or scenario.made_by.by_class:
        return ""
    return say("summary.vectors.all_drawn" if len(drawn) == len(scenario.tokens) else "summary.vectors.some_drawn")


def projections_in_words(scenario: Scenario, *, finding: bool = True) -> str:
    """Return what the W's are: random, from an example, or given.

    If a `finding` is shown beside it, it also says what that is worth with random numbers.

    >>> projections_in_words(Scenario())
    'The numbers of W_q, W_k and W_v are random and untrained, so this attention means nothing yet.'
    >>> projections_in_words(Scenario(w_q="identity", w_k="zeros"))
    'The numbers of W_v are random and untrained. The numbers of W_q and W_k are given, not drawn.'
    """
    groups: dict[str, list[str]] = {}
    for name in projections_of(scenario):
        groups.setdefault(_origin(scenario, name), []).append(name)
    ordered = sorted(groups, key=lambda origin: (origin != "random", origin == "set"))
    return " ".join(_of_group(scenario, origin, groups[origin], finding) for origin in ordered)


def _origin(scenario: Scenario, name: str) -> str:
    """Return "random", "set", or the worked example that a matrix is from."""
    rows, columns = scenario.shape_of(name)
    if len(edits_of(scenario, [name])) == rows * columns:
        return "set"
    filled = scenario.replacement(name)
    if is_drawn(scenario, name):
        return "random"
    return filled if isinstance(filled, str) and filled.startswith(EXAMPLE_FILL) else "set"


def edits_of(scenario: Scenario, names: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return the cells of these matrices that hold a changed number."""
    return [edit[:3] for edit in scenario.edits if edit.matrix in names]


def projections_of(scenario: Scenario) -> list[str]:
    """Return the names of all W's, only once if layers share them."""
    return [named(layer, name) for layer in range(_n_own(scenario)) for name in _PROJECTIONS]


def _n_own(scenario: Scenario) -> int:
    """Return how many layers have W's of their own."""
    return 1 if scenario.same_layers else scenario.n_layers


def _symbols(scenario: Scenario, names: list[str]) -> list[str]:
    """Return projections' symbols, with the layer unless it's about all layers."""
    there = {name: [each for each in names if placed(each)[1] == name] for name in _PROJECTIONS}
    return [
        symbol
        for name, each in there.items()
        for symbol in (
            [STAGES[name].symbol] if len(each) == _n_own(scenario) else [symbol_in_words(one) for one in each]
        )
    ]


def _of_group(scenario: Scenario, origin: str, names: list[str], finding: bool) -> str:
    edited = len(edits_of(scenario, names))
    places = {"names": listed(_symbols(scenario, names))}
    if origin == "set":
        return say("summary.projections.set", **places)
    kind = "random" if origin == "random" else "example"
    if kind == "example":
        places["example"] = called(origin.removeprefix(EXAMPLE_FILL))
        if features := features_of(scenario):
            kind, places["features"] = "by_hand", listed(features)
    if kind == "by_hand" and names == projections_of(scenario) and not edited:
        return say("summary.projections.all_by_hand", **places)
    if edited:
        kind, places["numbers"] = f"{kind}_changed", plural(edited, "number")
    said = say(f"summary.projections.{kind}", **places)
    if origin != "random":
        return said
    decides = finding and [placed(name)[1] for name in names] != ["w_v"]  # queries and keys decide who reads whom
    return say("summary.projections.nothing_yet" if decides else "summary.projections.no_finding", said=said)


def chosen_in_words(scenario: Scenario) -> str:
    """Return which unchanged matrices were chosen to give an example's scores.

    >>> chosen_in_words(Scenario())
    ''
    """
    example = example_of(scenario.w_q)
    chosen = chosen_matrices(example)
    as_chosen = (
        scenario.x == "identity"
        and scenario.w_k == scenario.w_q
        and scenario.d_in == len(scenario.tokens)
        and not any(edit.matrix in ("x", "w_q", "w_k") for edit in scenario.edits)
    )
    if not chosen or not as_chosen:
        return ""
    labels = token_labels(scenario.tokens, LONGEST_NAME)
    times = {position: row[0] for position, row in enumerate(chosen["w_q"]) if row[0] != 1}
    said = say("summary.chosen.every", example=called(example))
    if times:
        names = listed([say("summary.named", token=labels[position]) for position in times])
        factor = significant(next(iter(times.values())))
        said = say("summary.chosen.times", example=called(example), token=names, times=factor)
    return say("summary.chosen.repeats", said=said) if scenario.w_v == "identity" else said


def numbers_in_words(scenario: Scenario, *, finding: bool = True) -> str:
    """Return where the W's are from, and what a `finding` is worth.

    >>> numbers_in_words(Scenario())
    'The numbers of W_q, W_k and W_v are random and untrained, so this attention means nothing yet.'
    """
    told = chosen_in_words(scenario) or projections_in_words(scenario, finding=finding), beside_example(scenario)
    return " ".join(filter(None, told))
