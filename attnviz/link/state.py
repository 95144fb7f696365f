"""Opening a link: its parameters, what can't be used, and its state.

Both are pure functions of a query: any copy of a server, and any thread, reads the same.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from attnviz.core.carried import bring_back
from attnviz.core.changes import changes_of
from attnviz.core.limits import MAX_TOKENS
from attnviz.core.scenario import Scenario
from attnviz.core.settings import fitted
from attnviz.core.tokens import shortened, tokenize
from attnviz.link.changes_text import with_misfits
from attnviz.link.parameter import Around, Read, Show, listed
from attnviz.link.parameter_table import LEFT_OUT, QUERY, table, texts
from attnviz.link.set_up import (
    CHANGES,
    EDITS,
    EXAMPLE,
    PUBLISHED,
    parameters,
    quoted,
    read_controls,
    scenario_of,
    told_misfit,
    with_example,
)
from attnviz.published import OPENING
from attnviz.words import plural, say

# What mailers, search engines and Streamlit itself write into any link.
_OF_OTHERS = ("utm_", "mc_", "_ga", "_gl", "fbclid", "gclid", "msclkid", "twclid", "igsh", "embed")
_ALIKE, _MOST_ALIKE, _HINTS = 0.75, 40, 3  # how much alike names are, of how many characters, and how many are told


@dataclass(frozen=True)
class Opened:
    """A link after it was read.

    The page opens with the parameters of `query`, which are never none of ours. `example` is the worked example that
    was named, and `messages` is said of all that was not taken.
    """

    query: Mapping[str, str]
    messages: tuple[str, ...] = ()
    example: str = ""


def read_link(query: Mapping[str, str], show: Show = quoted, left_out: Callable[[str], str] = lambda _: "") -> Opened:
    """Read a link's parameters one by one; `show` quotes parts of it.

    `left_out` makes a sentence of what the browser says that it left out, and is blank where the browser didn't.
    """
    opening = _Opening(query, show)
    opening.without_what_was_left_out(left_out)
    opening.with_its_example()
    opening.without_unknown()
    opening.bounded()
    opening.controls()
    return Opened(naming_its_example(opening.query), tuple(opening.told), opening.example)


def says_nothing(query: Mapping[str, str]) -> bool:
    """Whether the parameters of a link are none of ours."""
    return not any(name in table() for name in query)


def is_of_others(name: str) -> bool:
    """Whether a parameter is one that others write into links."""
    return name not in table() and name.startswith(_OF_OTHERS)


def naming_its_example(query: Mapping[str, str]) -> dict[str, str]:
    """Return a query that names its example where it has no set-up.

    Without the name, the same query may open the opening example.

    >>> naming_its_example({"step": "scale"}), naming_its_example({"seed": "7"})
    ({'step': 'scale', 'example': 'published'}, {'seed': '7'})
    """
    return dict(query) if _has_set_up(query) else {**query, EXAMPLE: PUBLISHED}


def as_the_app_opens(query: Mapping[str, str]) -> dict[str, str]:
    """Return a link's parameters, with the opening example's if it's to open.

    It opens where a link says nothing of the set-up, but at most a place, or how it's looked at there.

    >>> as_the_app_opens({"view": "heatmaps"})["text"], "text" in as_the_app_opens({"seed": "7", "view": "heatmaps"})
    ('the fluffy cat chased a mouse', False)
    """
    return dict(query) if _has_set_up(query) else with_example({**query, EXAMPLE: OPENING})


def _has_set_up(query: Mapping[str, str]) -> bool:
    return any(name in parameters() or name in (CHANGES, EXAMPLE) for name in query)


class _Opening:
    """A link while it's read; each step removes and reports unusable parts."""

    def __init__(self, query: Mapping[str, str], show: Show) -> None:
        self.query, self.show = as_the_app_opens(query), show
        self.told: list[str] = []
        self.example = ""

    def _drop(self, name: str, *told: str) -> None:
        self.query.pop(name, None)
        self.told += told

    def without_what_was_left_out(self, left_out: Callable[[str], str]) -> None:
        if said := left_out(self.query.get(LEFT_OUT, "")):  # else it's told as any other that there is none of
            self._drop(LEFT_OUT, said)

    def with_its_example(self) -> None:
        named, row = self.query.get(EXAMPLE), texts()[EXAMPLE]
        if named is None:
            return
        if error := row.read(named)[1]:
            self._drop(EXAMPLE, row.refusal(named, error, self.show))
        else:
            self.query, self.example = with_example(self.query), "" if named == PUBLISHED else named

    def without_unknown(self) -> None:
        known = [name for name in table() if name != LEFT_OUT]
        unknown = tuple(name for name in self.query if name not in known and not is_of_others(name))
        for name in unknown:
            del self.query[name]
        if unknown:
            self.told.append(_told_unknown(unknown, known, self.show))

    def bounded(self) -> None:
        """Leave out texts that are longer than the browser keeps them."""
        for name, row in texts().items():
            if error := row.too_long(raw := self.query.get(name, "")):
                self._drop(name, row.refusal(raw, error, self.show))

    def controls(self) -> None:
        """Leave out controls with unusable or default values.

        Of the former, Streamlit would read a part (5.5 as 5); for the latter, it would add to the browser's history.
        """
        for name, row in parameters().items():
            if (raw := self.query.get(name)) is None:
                continue
            value, error = row.read(raw)
            if error:
                self._drop(name, row.refusal(raw, error, self.show))
            elif value == row.default:
                self._drop(name)


def _told_unknown(unknown: Sequence[str], known: list[str], show: Show) -> str:
    """Say which names are unknown, and which similar ones may be meant."""
    matches = {name: get_close_matches(name, known, 1, _ALIKE) for name in unknown if len(name) <= _MOST_ALIKE}
    meant = [(show(name), show(match[0])) for name, match in matches.items() if match][:_HINTS]
    if len(unknown) == 1 and meant:
        return say("links.unknown_meant", name=meant[0][0], meant=meant[0][1])
    said = say("links.unknown", names=listed(unknown, show))
    hints = " ".join(say("links.meant", name=name, meant=match) for name, match in meant)
    return say("links.unknown_hints", unknown=said, hints=hints) if hints else said


def read_texts(query: Mapping[str, str], around: Around, show: Show) -> dict[str, Read]:
    """Read a link's texts in order, except changes and example, by scenario.

    What concerns tokens and cells is left out while there is no scenario.
    """
    read: dict[str, Read] = {}
    for name, row in texts().items():
        if name not in (CHANGES, EXAMPLE) and query.get(name) and (around.scenario is not None or not row.of_scenario):
            values: dict[str, Any] = {each: done.value for each, done in read.items()}
            read[name] = row.taken(query[name], replace(around, values=values), show)
    return read


# Of a longer query, or one of more fields, Streamlit's server gives a page no parameter at all.
MOST_CHARACTERS, MOST_FIELDS = 524_288, 1000


@dataclass(frozen=True)
class State:
    """What is computed and seen, by a query.

    `query` is the same state, of which all can be read: what was named as an example, dropped or mended is as it is
    used, and a set-up that is as the published example says so. `scenario` is None while the sentence is blank.
    `values` are those of the controls, as they stand (the scenario has as many heads as fit), and of the texts that
    were read: None or a default where the query has none. `messages` says in sentences what was not taken.
    """

    query: str
    scenario: Scenario | None
    values: Mapping[str, Any]
    messages: tuple[str, ...] = ()

    @property
    def position(self) -> int:
        """The followed token's position: the picked, else the second, else the only."""
        picked = self.values[QUERY]
        last = 0 if self.scenario is None else len(self.scenario.tokens) - 1
        return min(1, last) if picked is None else int(picked)


def state_of(query: str | Mapping[str, str], names: Collection[str] | None = None) -> State:
    """Return the state of any query, even a damaged or blank one.

    Of the texts beside the controls only those of these `names` are read, where they are given: all else is as if the
    query didn't have it.
    """
    came = as_the_app_opens(read_query(query) if isinstance(query, str) else query)
    if names is not None:
        came = _only(came, names)
    opened = read_link(came)
    values, _ = read_controls(opened.query)
    changes, error = EDITS.read(opened.query.get(CHANGES, ""))
    scenario, left, told = _scenario(values, changes)
    if scenario is not None and (error := with_misfits(error, left, scenario)):
        told.append(EDITS.refusal(opened.query[CHANGES], error, quoted))
    read = read_texts(opened.query, Around(scenario, digits=values["digits"]), quoted)
    told += [each.message for each in read.values() if each.message]
    kept = {name: each.text for name, each in read.items()}
    if scenario is not None:
        changes = changes_of(scenario)
        kept[CHANGES] = EDITS.write(changes)
    of_texts = {name: read[name].value if name in read else row.default for name, row in texts().items()}
    del of_texts[EXAMPLE]  # what it names is in all the others
    return State(
        _written(opened.query, values, kept),
        scenario,
        MappingProxyType({**of_texts, CHANGES: changes, **values}),
        (*opened.messages, *told),
    )


def read_query(query: str) -> dict[str, str]:
    """Return a query's parameters, the last of each; none beyond all limits."""
    if len(query) > MOST_CHARACTERS:
        return {}
    try:
        return dict(parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        return {}


def _only(came: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """Return a query's controls, and its texts of these names alone."""
    return {name: raw for name, raw in came.items() if name not in texts() or name in (*names, EXAMPLE, CHANGES)}


def _scenario(values: Mapping[str, Any], changes: Any) -> tuple[Scenario | None, Any, list[str]]:
    """Return the controls' scenario (None if blank), unfitting changes, and messages."""
    text, cut = shortened(values["text"], values["tokenizer"], MAX_TOKENS)
    told = [say("messages.long_sentence", tokens=plural(MAX_TOKENS, "token"))] if cut else []
    if not tokenize(text, values["tokenizer"]):
        return None, changes, told
    fitting, misfits = fitted({**values, "text": text}, len(tokenize(text, values["tokenizer"])))
    told += [told_misfit(misfit, fitting) for misfit in misfits]
    return *bring_back(scenario_of(fitting), changes), told


def _written(opened: Mapping[str, str], values: Mapping[str, Any], kept: Mapping[str, str]) -> str:
    """Return the query that says what is used, as pages write it."""
    others = {name: raw for name, raw in opened.items() if name not in table()}
    controls = {name: row.write(values[name]) for name, row in parameters().items() if values[name] != row.default}
    stays = {name: kept.get(name, opened.get(name, "")) for name in texts() if name != EXAMPLE}
    ours = controls | {name: text for name, text in stays.items() if text}
    return urlencode(others | naming_its_example(ours), safe="*", errors="surrogatepass")
