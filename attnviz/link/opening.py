"""A link that is opened: what it says is read by the table of parameters, and all that can't be used is told.

The app opens the page as if it had been asked for by :attr:`Opened.query`.
"""

from collections.abc import Callable, Mapping, Sequence
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
    opening = _Opening(query, show)
    opening.without_what_was_left_out(left_out)
    opening.with_its_example()
    opening.without_unknown()
    opening.bounded()
    opening.guessed()
    opening.by_names()
    opening.controls()
    if says_nothing(opening.query):  # a bare address would open another one
        opening.query[EXAMPLE] = PUBLISHED
    return Opened(opening.query, tuple(opening.told), opening.unknown, opening.example)


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


class _Opening:
    """A link while it's read: each step takes out what it can't use, and tells it."""

    def __init__(self, query: Mapping[str, str], show: Show) -> None:
        self.query, self.show = as_the_app_opens(query), show
        self.told: list[str] = []
        self.unknown: tuple[str, ...] = ()
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
            self._drop(EXAMPLE, row.told(named, error, self.show))
        else:
            self.query, self.example = with_example(self.query), "" if named == PUBLISHED else named

    def without_unknown(self) -> None:
        known = [name for name in table() if name != LEFT_OUT]
        self.unknown = tuple(n for n in self.query if n not in known and not n.startswith(_OF_OTHERS))
        for name in self.unknown:
            del self.query[name]
        if self.unknown:
            self.told.append(_told_unknown(self.unknown, known, self.show))

    def bounded(self) -> None:
        """Leave out texts that are longer than the browser keeps them."""
        for name, row in texts().items():
            if error := row.too_long(raw := self.query.get(name, "")):
                self._drop(name, row.told(raw, error, self.show))

    def guessed(self) -> None:
        """Write a guess that older links have within a question's example as what was predicted."""
        question, _ = texts()[QUESTION].read(self.query.get(QUESTION, ""))
        guess = guess_of(self.query.get(NUMBERS, ""))
        if question and guess and PREDICTED not in self.query:
            self.query[PREDICTED] = f"{question}.{guess}"

    def by_names(self) -> None:
        """Write what older links have by numbers as links have it today; what can't be read is told later."""
        values: dict[str, Any] = {}
        for name, row in texts().items():
            if row.renewed and name in self.query:
                read = row.taken(raw := self.query[name], Around(values=values, just_arrived=False), self.show)
                values[name] = read.value
                self.query[name] = raw if read.told else read.text
                if raw and not self.query[name]:
                    del self.query[name]

    def controls(self) -> None:
        """Leave out controls whose value can't be used, of which Streamlit would read what it can, 5.5 as 5 and 1e3 as
        1000; and those at their default, which it would take out by a further entry in the browser's history."""
        for name, row in parameters().items():
            if (raw := self.query.get(name)) is None:
                continue
            value, error = row.read(raw)
            if error:
                self._drop(name, row.told(raw, error, self.show))
            elif value == row.default:
                self._drop(name)
            elif row.renewed:
                self.query[name] = row.write(value)


def _told_unknown(unknown: Sequence[str], known: list[str], show: Show) -> str:
    """Say which names are unknown, and of the first few that are much like one of ours, which may be meant."""
    matches = {name: get_close_matches(name, known, 1, _ALIKE) for name in unknown if len(name) <= _MOST_ALIKE}
    meant = [(show(name), show(match[0])) for name, match in matches.items() if match][:_HINTS]
    if len(unknown) == 1 and meant:
        return say("links.unknown_meant", name=meant[0][0], meant=meant[0][1])
    said = say("links.unknown", names=listed(unknown, show))
    hints = " ".join(say("links.meant", name=name, meant=match) for name, match in meant)
    return say("links.unknown_hints", unknown=said, hints=hints) if hints else said


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
