"""A link that is opened: what it says is read by the table of parameters, and all that can't be used is told.

The app opens the page as if it had been asked for by :attr:`Opened.query`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from attnviz.link.parameter import Around, Read, Show, listed
from attnviz.link.parameter_table import LEFT_OUT, NUMBERS, PREDICTED, QUESTION, table, texts
from attnviz.link.question_text import guess_of
from attnviz.link.set_up import CHANGES, EXAMPLE, PUBLISHED, parameters, with_example
from attnviz.published import OPENING
from attnviz.words import say

# What mailers, search engines and Streamlit itself write into any link.
_OF_OTHERS = ("utm_", "mc_", "_ga", "_gl", "fbclid", "gclid", "msclkid", "twclid", "igsh", "embed")
_ALIKE, _MOST_ALIKE, _HINTS = 0.75, 40, 3  # how much alike names are, of how many characters, and how many are told


@dataclass(frozen=True)
class Opened:
    """A link after it was read.

    The page opens with the parameters of `query`, which are never none of ours. Of those that came `unknown` are none
    of ours, `example` is the worked example that was named, and `told` is said of all that was not taken.
    """

    query: Mapping[str, str]
    told: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    example: str = ""


def read_link(query: Mapping[str, str], show: Show, left_out: Callable[[str], str]) -> Opened:
    """Read the parameters of a link, as far as each stands alone; `show` makes a part of it ready to be shown.

    `left_out` makes a sentence of what the browser says that it left out, and is blank where the browser didn't.

    >>> read_link({"d_in": "abc", "seed": "123", "step": "4"}, repr, lambda _: "")
    Opened(query={'step': 'one-score'}, told=("d_in = 'abc' should be a whole number from 1 to 1024; 3 is used.",), \
unknown=(), example='')
    """
    opened = Opened(query)
    for step in (
        _as_the_app_opens,
        _without_what_was_left_out(left_out),
        _with_its_example,
        _without_unknown,
        _bounded,
        _guessed,
        _by_names,
        _controls,
        _never_bare,
    ):
        opened = step(opened, show)
    return opened


_Step = Callable[[Opened, Show], Opened]


def says_nothing(query: Mapping[str, str]) -> bool:
    """Whether the parameters of a link are none of ours."""
    return not any(name in table() for name in query)


def as_the_app_opens(query: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of a link, those of the opening example where it has none of ours.

    With any of ours, what it doesn't say is as in the published example: so it was when there was no other to open.

    >>> as_the_app_opens({"seed": "7"}), as_the_app_opens({"utm_source": "mail"})["text"]
    ({'seed': '7'}, 'the fluffy cat chased a mouse')
    """
    return with_example({**query, EXAMPLE: OPENING}) if says_nothing(query) else dict(query)


def _as_the_app_opens(opened: Opened, show: Show) -> Opened:
    return replace(opened, query=as_the_app_opens(opened.query))


def _never_bare(opened: Opened, show: Show) -> Opened:
    """Name the published example where nothing else is left to say: a bare address would open another one."""
    if not says_nothing(opened.query):
        return opened
    return replace(opened, query={**opened.query, EXAMPLE: PUBLISHED})


def _without_what_was_left_out(left_out: Callable[[str], str]) -> _Step:
    def step(opened: Opened, show: Show) -> Opened:
        said = left_out(opened.query.get(LEFT_OUT, ""))
        return _without(opened, [LEFT_OUT], said) if said else opened  # told as any other that there is none of

    return step


def _with_its_example(opened: Opened, show: Show) -> Opened:
    named = opened.query.get(EXAMPLE)
    if named is None:
        return opened
    row = texts()[EXAMPLE]
    _, error = row.read(named)
    if error:
        return _without(opened, [EXAMPLE], row.told(named, error, show))
    return replace(opened, query=with_example(opened.query), example="" if named == PUBLISHED else named)


def _without_unknown(opened: Opened, show: Show) -> Opened:
    known = [name for name in table() if name != LEFT_OUT]
    unknown = [name for name in opened.query if name not in known and not name.startswith(_OF_OTHERS)]
    if not unknown:
        return opened
    return replace(_without(opened, unknown, _told_unknown(unknown, known, show)), unknown=tuple(unknown))


def _told_unknown(unknown: list[str], known: list[str], show: Show) -> str:
    """Say which names are unknown, and of the first few that are much like one of ours, which may be meant."""
    matches = {name: get_close_matches(name, known, 1, _ALIKE) for name in unknown if len(name) <= _MOST_ALIKE}
    meant = [(show(name), show(match[0])) for name, match in matches.items() if match][:_HINTS]
    if len(unknown) == 1 and meant:
        return say("links.unknown_meant", name=meant[0][0], meant=meant[0][1])
    said = say("links.unknown", names=listed(unknown, show))
    hints = " ".join(say("links.meant", name=name, meant=match) for name, match in meant)
    return say("links.unknown_hints", unknown=said, hints=hints) if hints else said


def _bounded(opened: Opened, show: Show) -> Opened:
    """Leave out texts that are longer than the browser keeps them."""
    for name, row in texts().items():
        raw = opened.query.get(name, "")
        if error := row.too_long(raw):
            opened = _without(opened, [name], row.told(raw, error, show))
    return opened


def _guessed(opened: Opened, show: Show) -> Opened:
    """Write a guess that older links have within a question's example as what was predicted."""
    row = texts()[QUESTION]
    question, _ = row.read(opened.query.get(QUESTION, ""))
    guess = guess_of(opened.query.get(NUMBERS, ""))
    if not (question and guess) or PREDICTED in opened.query:
        return opened
    return replace(opened, query={**opened.query, PREDICTED: f"{question}.{guess}"})


def _by_names(opened: Opened, show: Show) -> Opened:
    """Write what older links have by numbers as links have it today; what can't be read is told later."""
    query = dict(opened.query)
    values: dict[str, Any] = {}
    for name, row in texts().items():
        if row.renewed and name in query:
            read = row.taken(query[name], Around(values=values, just_arrived=False), show)
            values[name] = read.value
            query[name] = query[name] if read.told else read.text
    return replace(opened, query={name: raw for name, raw in query.items() if raw or not opened.query[name]})


def _controls(opened: Opened, show: Show) -> Opened:
    """Leave out controls whose value can't be used, of which Streamlit would read what it can, 5.5 as 5 and 1e3 as
    1000; and those at their default, which it would take out by a further entry in the browser's history.
    """
    for name, row in parameters().items():
        if name in opened.query:
            value, error = row.read(opened.query[name])
            if error:
                opened = _without(opened, [name], row.told(opened.query[name], error, show))
            elif value == row.default:
                opened = _without(opened, [name])
            elif row.renewed:
                opened = replace(opened, query={**opened.query, name: row.write(value)})
    return opened


def _without(opened: Opened, names: list[str], *told: str) -> Opened:
    query = {name: raw for name, raw in opened.query.items() if name not in names}
    return replace(opened, query=query, told=(*opened.told, *told))


def read_texts(query: Mapping[str, str], around: Around, show: Show) -> dict[str, Read]:
    """Read each text of a link, by the scenario and by what was read before it; what concerns tokens and cells is left
    out while there is no scenario. The changes are not read here: they are a part of the scenario.
    """
    read: dict[str, Read] = {}
    for name, row in texts().items():
        if name != CHANGES and query.get(name) and (around.scenario is not None or not row.of_scenario):
            values: dict[str, Any] = {each: done.value for each, done in read.items()}
            read[name] = row.taken(query[name], replace(around, values=values), show)
    return read
