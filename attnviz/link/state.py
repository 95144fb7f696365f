"""Opening a link: its usable parameters, messages, and state.

All of these are pure functions of a query: every copy of a server, and every thread, gets the same.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from attnviz.core.carry_over import bring_back
from attnviz.core.changes import changes_of
from attnviz.core.limits import MAX_TOKENS
from attnviz.core.scenario import Scenario
from attnviz.core.settings import fitted
from attnviz.core.tokens import shortened, tokenize
from attnviz.link.changes_text import with_unfitting
from attnviz.link.parameter import Read, ReadContext, Show, listed
from attnviz.link.parameter_table import LEFT_OUT, QUERY, table, texts
from attnviz.link.set_up import (
    CHANGES,
    EDITS,
    EXAMPLE,
    PUBLISHED,
    conflict_text,
    parameters,
    quoted,
    read_controls,
    scenario_of,
    with_example,
)
from attnviz.published import OPENING
from attnviz.words import plural, say

# Beginnings of the parameters that mailers, search engines and Streamlit itself add to links.
_OF_OTHERS = ("utm_", "mc_", "_ga", "_gl", "fbclid", "gclid", "msclkid", "twclid", "igsh", "embed")
# For a name that may be meant: its least similarity, the most characters of an unknown name, and the most hints.
_ALIKE, _MOST_ALIKE, _HINTS = 0.75, 40, 3


@dataclass(frozen=True)
class Opened:
    """A link after it was read.

    The page opens with the parameters of `query`; at least one of these is the app's own. `example` is the worked
    example that the link named, and `messages` are about everything that isn't used.
    """

    query: Mapping[str, str]
    messages: tuple[str, ...] = ()
    example: str = ""


def read_link(query: Mapping[str, str], show: Show = quoted, left_out: Callable[[str], str] = lambda _: "") -> Opened:
    """Read a link's parameters one by one; `show` quotes parts of it.

    `left_out` turns the browser's report of texts that it left out into a sentence; it returns a blank for any other
    text.
    """
    opening = _Opening(query, show)
    opening.without_what_was_left_out(left_out)
    opening.with_its_example()
    opening.without_unknown()
    opening.bounded()
    opening.controls()
    return Opened(naming_its_example(opening.query), tuple(opening.messages), opening.example)


def says_nothing(query: Mapping[str, str]) -> bool:
    """Whether a link has none of the app's own parameters."""
    return not any(name in table() for name in query)


def is_of_others(name: str) -> bool:
    """Whether a parameter is one that other services add to links."""
    return name not in table() and name.startswith(_OF_OTHERS)


def naming_its_example(query: Mapping[str, str]) -> dict[str, str]:
    """Return a query that names its example if it has no set-up.

    Without this name, the query may open the opening example.

    >>> naming_its_example({"step": "scale"}), naming_its_example({"seed": "7"})
    ({'step': 'scale', 'example': 'published'}, {'seed': '7'})
    """
    return dict(query) if _has_set_up(query) else {**query, EXAMPLE: PUBLISHED}


def as_the_app_opens(query: Mapping[str, str]) -> dict[str, str]:
    """Return a link's parameters; without a set-up, with the opening example's.

    Such a link says at most which place to open, or how to show it.

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
        self.messages: list[str] = []
        self.example = ""

    def _drop(self, name: str, *messages: str) -> None:
        self.query.pop(name, None)
        self.messages += messages

    def without_what_was_left_out(self, left_out: Callable[[str], str]) -> None:
        if said := left_out(self.query.get(LEFT_OUT, "")):  # otherwise it's reported like any unknown parameter
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
            self.messages.append(_unknown_in_words(unknown, known, self.show))

    def bounded(self) -> None:
        """Drop texts that are longer than the browser keeps."""
        for name, row in texts().items():
            if error := row.too_long(raw := self.query.get(name, "")):
                self._drop(name, row.refusal(raw, error, self.show))

    def controls(self) -> None:
        """Drop controls with unusable or default values.

        Streamlit would read only a part of an unusable value (5.5 as 5), and for a default value, it would add an entry
        to the browser's history.
        """
        for name, row in parameters().items():
            if (raw := self.query.get(name)) is None:
                continue
            value, error = row.read(raw)
            if error:
                self._drop(name, row.refusal(raw, error, self.show))
            elif value == row.default:
                self._drop(name)


def _unknown_in_words(unknown: Sequence[str], known: list[str], show: Show) -> str:
    """Say which names are unknown, and which similar ones may be meant."""
    matches = {name: get_close_matches(name, known, 1, _ALIKE) for name in unknown if len(name) <= _MOST_ALIKE}
    meant = [(show(name), show(match[0])) for name, match in matches.items() if match][:_HINTS]
    if len(unknown) == 1 and meant:
        return say("links.unknown_meant", name=meant[0][0], meant=meant[0][1])
    said = say("links.unknown", names=listed(unknown, show))
    hints = " ".join(say("links.meant", name=name, meant=match) for name, match in meant)
    return say("links.unknown_hints", unknown=said, hints=hints) if hints else said


def read_texts(query: Mapping[str, str], around: ReadContext, show: Show) -> dict[str, Read]:
    """Read a link's texts in order, except changes and example.

    Texts about tokens and cells are left out if there is no scenario.
    """
    read: dict[str, Read] = {}
    for name, row in texts().items():
        if name not in (CHANGES, EXAMPLE) and query.get(name) and (around.scenario is not None or not row.of_scenario):
            values: dict[str, Any] = {each: done.value for each, done in read.items()}
            read[name] = row.taken(query[name], replace(around, values=values), show)
    return read


# If a query is longer or has more fields, Streamlit's server passes none of its parameters to the page.
MOST_CHARACTERS, MOST_FIELDS = 524_288, 1000


@dataclass(frozen=True)
class State:
    """What a query computes and shows.

    `query` is a query for the same state, without errors: an example is expanded into its parameters, unusable parts
    are dropped or mended, and if no set-up is left, the published example is named. `scenario` is None while the
    sentence is blank. `values` are those of the controls, as the reader set them (the scenario may have fewer heads),
    and those of the texts, with a default or None for each one that the query lacks. `messages` are sentences on what
    isn't used.
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

    If `names` are given, only these texts are read, besides the controls; all others count as missing.
    """
    came = as_the_app_opens(read_query(query) if isinstance(query, str) else query)
    if names is not None:
        came = _only(came, names)
    opened = read_link(came)
    values, _ = read_controls(opened.query)
    changes, error = EDITS.read(opened.query.get(CHANGES, ""))
    scenario, left, messages = _scenario(values, changes)
    if scenario is not None and (error := with_unfitting(error, left, scenario)):
        messages.append(EDITS.refusal(opened.query[CHANGES], error, quoted))
    read = read_texts(opened.query, ReadContext(scenario, digits=values["digits"]), quoted)
    messages += [each.message for each in read.values() if each.message]
    texts_kept = {name: each.text for name, each in read.items()}
    if scenario is not None:
        changes = changes_of(scenario)
        texts_kept[CHANGES] = EDITS.write(changes)
    of_texts = {name: read[name].value if name in read else row.default for name, row in texts().items()}
    del of_texts[EXAMPLE]  # its parameters are among the others
    return State(
        _written(opened.query, values, texts_kept),
        scenario,
        MappingProxyType({**of_texts, CHANGES: changes, **values}),
        (*opened.messages, *messages),
    )


def read_query(query: str) -> dict[str, str]:
    """Return a query's parameters, the last of each; none beyond the limits."""
    if len(query) > MOST_CHARACTERS:
        return {}
    try:
        return dict(parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        return {}


def _only(came: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """Return a query's controls, and only its texts of these names."""
    return {name: raw for name, raw in came.items() if name not in texts() or name in (*names, EXAMPLE, CHANGES)}


def _scenario(values: Mapping[str, Any], changes: Any) -> tuple[Scenario | None, Any, list[str]]:
    """Return the controls' scenario (None if blank), unfitting changes, and messages."""
    text, cut = shortened(values["text"], values["tokenizer"], MAX_TOKENS)
    messages = [say("messages.long_sentence", tokens=plural(MAX_TOKENS, "token"))] if cut else []
    if not tokenize(text, values["tokenizer"]):
        return None, changes, messages
    fitting, conflicts = fitted({**values, "text": text}, len(tokenize(text, values["tokenizer"])))
    messages += [conflict_text(conflict, fitting) for conflict in conflicts]
    return *bring_back(scenario_of(fitting), changes), messages


def _written(opened: Mapping[str, str], values: Mapping[str, Any], texts_kept: Mapping[str, str]) -> str:
    """Return a query with all that is used, as pages write it."""
    others = {name: raw for name, raw in opened.items() if name not in table()}
    controls = {name: row.write(values[name]) for name, row in parameters().items() if values[name] != row.default}
    stays = {name: texts_kept.get(name, opened.get(name, "")) for name in texts() if name != EXAMPLE}
    ours = controls | {name: text for name, text in stays.items() if text}
    return urlencode(others | naming_its_example(ours), safe="*", errors="surrogatepass")
