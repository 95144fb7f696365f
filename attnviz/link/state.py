"""What a query stands for, by a pure function: any copy of a server, and any thread, reads the same state from it.

The first run of a session reads a link by the same steps; see :mod:`attnviz.link.opening`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
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
from attnviz.link.opening import read_link, read_texts, says_nothing
from attnviz.link.parameter import Around, Show
from attnviz.link.parameter_table import QUERY, table, texts
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
)
from attnviz.words import plural, say

# Of a longer query, or one of more fields, Streamlit's server gives a page no parameter at all.
MOST_CHARACTERS, MOST_FIELDS = 524_288, 1000


@dataclass(frozen=True)
class State:
    """What is computed and seen, by a query.

    `query` is the same state, of which all can be read: what was named as an example, dropped or mended is as it is
    used, and a set-up that is as the published example says so. `scenario` is None while the sentence is blank.
    `values` are those of the controls, as they stand (the scenario has as many heads as fit), and of the texts that
    were read: None or a default where the query has none. `told` says in sentences what was not taken.
    """

    query: str
    scenario: Scenario | None
    values: Mapping[str, Any]
    told: tuple[str, ...] = ()

    @property
    def position(self) -> int:
        """The place of the token that is followed; without a pick, the second, or the only one."""
        picked = self.values[QUERY]
        last = 0 if self.scenario is None else len(self.scenario.tokens) - 1
        return min(1, last) if picked is None else int(picked)


def state_of(
    query: str | Mapping[str, str], names: Collection[str] | None = None, show: Show = quoted,
    left_out: Callable[[str], str] = lambda _: "",
) -> State:  # fmt: skip
    """Return the state that a query stands for, without its question mark; whatever it is, there is one.

    Of the texts beside the controls only those of these `names` are read, where they are given: all else is as if the
    query didn't have it. `show` and `left_out` are those of :func:`attnviz.link.opening.read_link`.

    >>> state = state_of("seed=7&d_in=abc&query=99&utm_source=mail")
    >>> state.query, state.scenario == Scenario(embedding="published", seed=7), len(state.told)
    ('utm_source=mail&seed=7', True, 2)
    """
    came = _parameters(query) if isinstance(query, str) else dict(query)
    if names is not None:
        came = _only(came, names)
    opened = read_link(came, show, left_out)
    values, _ = read_controls(opened.query)
    changes, error = EDITS.read(opened.query.get(CHANGES, ""))
    scenario, left, told = _scenario(values, changes)
    if scenario is not None and (error := with_misfits(error, left, scenario)):
        told.append(EDITS.told(opened.query[CHANGES], error, show))
    read = read_texts(opened.query, Around(scenario, digits=values["digits"]), show)
    told += [each.told for each in read.values() if each.told]
    kept = {name: each.text for name, each in read.items()}
    if scenario is not None:
        changes = changes_of(scenario)
        kept[CHANGES] = EDITS.write(changes)
    of_texts = {name: read[name].value if name in read else row.default for name, row in texts().items()}
    del of_texts[EXAMPLE]  # what it names is in all the others
    return State(
        _written(opened.query, values, kept), scenario, MappingProxyType({**of_texts, CHANGES: changes, **values}),
        (*opened.told, *told),
    )  # fmt: skip


def _parameters(query: str) -> dict[str, str]:
    """Return the parameters of a query, as a page is given them: none of one that is too long."""
    if len(query) > MOST_CHARACTERS:
        return {}
    try:
        return dict(parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        return {}


def _only(came: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """Return the controls of a query and its texts of these names; a bare one would open another example."""
    kept = {name: raw for name, raw in came.items() if name not in texts() or name in (*names, EXAMPLE, CHANGES)}
    return {EXAMPLE: PUBLISHED, **kept} if says_nothing(kept) and not says_nothing(came) else kept


def _scenario(values: Mapping[str, Any], changes: Any) -> tuple[Scenario | None, Any, list[str]]:
    """Return the scenario of the controls with these changes, what of these didn't fit, and what is said; None while
    the sentence is blank."""
    text, cut = shortened(values["text"], values["tokenizer"], MAX_TOKENS)
    told = [say("messages.long_sentence", tokens=plural(MAX_TOKENS, "token"))] if cut else []
    if not tokenize(text, values["tokenizer"]):
        return None, changes, told
    fitting, misfits = fitted({**values, "text": text}, len(tokenize(text, values["tokenizer"])))
    told += [told_misfit(misfit, fitting) for misfit in misfits]
    return *bring_back(scenario_of(fitting), changes), told


def _written(opened: Mapping[str, str], values: Mapping[str, Any], kept: Mapping[str, str]) -> str:
    """Return a query that says what is used: what is of others first, then controls, then texts, as a page writes
    it."""
    others = {name: raw for name, raw in opened.items() if name not in table()}
    controls = {name: row.write(values[name]) for name, row in parameters().items() if values[name] != row.default}
    stays = {name: kept.get(name, opened.get(name, "")) for name in texts() if name != EXAMPLE}
    ours = controls | {name: text for name, text in stays.items() if text}
    return urlencode(others | (ours or {EXAMPLE: PUBLISHED}), safe="*", errors="surrogatepass")
