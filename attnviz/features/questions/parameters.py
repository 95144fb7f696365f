"""A question in links: its name, its example and its choices."""

from dataclasses import dataclass
from urllib.parse import parse_qsl

from attnviz.board.data import has_numbers
from attnviz.core.scenario import Scenario
from attnviz.features.questions.offered import Exponent, Option
from attnviz.features.questions.questions import QUESTIONS, Question
from attnviz.features.sweeps.settings import MAX_P
from attnviz.link.codecs import Choice, Number, Text, UnreadableError
from attnviz.link.parameter import Parameter, ReadContext, as_one, listed
from attnviz.link.set_up import CHANGES, parameters, query_of, quoted, scenario_from_query
from attnviz.words import say

QUESTION, NUMBERS = "question", "numbers"
_OF_EXAMPLES = frozenset({*parameters(), CHANGES})
QUERY = "query"  # the position of the followed token


@dataclass(frozen=True)
class Example:
    """A question's example: its scenario, the choices, and the followed token."""

    scenario: Scenario
    options: dict[str, str]
    query: int


def question_of(slug: str) -> Question | None:
    """Return the question of this name, or None."""
    return next((question for question in QUESTIONS if question.slug == slug), None)


def start_of(question: Question) -> Example:
    """Return the example at the start of a question."""
    return Example(question.start, question.defaults, question.first_followed(question.start))


def example_text(question: Question, example: Example) -> str:
    """Return an example as a URL's query; blank if it's unchanged."""
    return "" if example == start_of(question) else whole_text(question, example)


def whole_text(question: Question, example: Example) -> str:
    """Return an example as a URL's query, even if it's unchanged."""
    start = start_of(question)
    chosen = {name: choice for name, choice in example.options.items() if choice != start.options[name]}
    if example.query != question.first_followed(example.scenario):
        chosen[QUERY] = str(example.query)
    return query_of(example.scenario, **chosen)


def example_from_text(question: Question, text: str) -> tuple[Example, list[str]]:
    """Return a query's example, and messages about what's ignored."""
    own, rest = _parts(question, text)
    scenario, ignored = scenario_from_query(rest) if rest else (question.start, [])
    options = question.defaults
    for option in question.options:
        given = own.get(option.name, option.default)
        if option.may_be(given):
            options[option.name] = given
        else:
            ignored.append(_no_choice(option, given))
    if strange := [name for name in dict(parse_qsl(rest, keep_blank_values=True)) if name not in _OF_EXAMPLES]:
        ignored.append(say("links.unknown", names=listed(strange, quoted)))
    place = own.get(QUERY, "")
    valid = place.isascii() and place.isdigit() and len(place) < 3 and int(place) < len(scenario.tokens)
    return Example(scenario, options, int(place) if valid else question.first_followed(scenario)), ignored


def _no_choice(option: Option | Exponent, given: str) -> str:
    """Say that something can't be chosen, and what is used instead."""
    if isinstance(option, Exponent):
        expected = Number(0, MAX_P).expected()
        return say("links.value", name=option.name, raw=quoted(given), expected=expected, used=option.default)
    return say("links.choice", raw=quoted(given), label=option.label, used=option.choices[option.default])


def _parts(question: Question, query: str) -> tuple[dict[str, str], str]:
    """Return a query's own choices for the question, and the rest."""
    own: list[str] = []
    rest: list[str] = []
    for part in filter(None, query.split("&")):
        (own if part.partition("=")[0] in (QUERY, *question.defaults) else rest).append(part)
    return dict(parse_qsl("&".join(own), keep_blank_values=True)), "&".join(rest)


def fits_question(text: str, around: ReadContext) -> str:
    """Return an example's text if it belongs to the open question."""
    question = question_of(around.values.get("question", ""))
    if question is None:
        if text:
            raise UnreadableError("links.no_question", "")
        return text
    example, ignored = example_from_text(question, text)
    if not ignored and not has_numbers(example.scenario):
        ignored = [say("question_page.large")]
    if not ignored and text and around.just_arrived and not can_be_shown(question, example, around.digits):
        ignored = [say("question_page.foreign")]
    if ignored:
        raise UnreadableError("links.example", "", parts=as_one(ignored))
    return example_text(question, example)


def can_be_shown(question: Question, example: Example, digits: int) -> bool:
    """Whether an example belongs to this question and can be computed."""
    try:
        if not question.is_own(example.scenario):
            return False
        question.look(example.scenario, example.options, digits)
    except (ValueError, RuntimeError, LookupError):
        return False
    return True


def rows() -> tuple[Parameter, ...]:
    """Return the questions' parameters; a question is read before its example."""
    questions = ("", *(question.slug for question in QUESTIONS))
    return (
        Parameter(QUESTION, "", Choice(questions), 40, used="question_page.used"),
        Parameter(NUMBERS, "", Text(20_000), 20_000, message="links.example", fit=fits_question),
    )
