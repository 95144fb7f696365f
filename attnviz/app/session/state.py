"""State kept between runs, as plain values, and the changes of matrices."""

from typing import Any

from attnviz import words
from attnviz.app.session import address, url_texts
from attnviz.app.session.page_record import this_page
from attnviz.app.session.session import Dropped, this_session
from attnviz.app.text import as_message, literal
from attnviz.core.carry_over import bring_back, carry_over
from attnviz.core.changes import Changes, changes_of
from attnviz.core.limits import MAX_SECOND_CHARACTERS, MAX_TEXT_CHARACTERS, MAX_TOKENS
from attnviz.core.machine import resolve_device
from attnviz.core.scenario import Scenario
from attnviz.core.settings import fitted
from attnviz.core.tokens import shortened, tokenize
from attnviz.link.changes_text import decode_changes, encode_changes, with_unfitting
from attnviz.link.set_up import CHANGES, EDITS, conflict_text, parameters, scenario_of
from attnviz.words import plural


def add_message(message: str) -> None:
    """Show a plain message on this run; only `literal` makes markup."""
    this_session().messages.texts.append(message)


def say_ignored(part: str) -> None:
    """Say that this part of the link was ignored, and why."""
    this_session().messages.of_link.append(part)


def current_messages(values: dict[str, Any]) -> list[str]:
    """Return this run's messages as Markdown; `values` are of all controls.

    The first run's messages about the link stay until the reader changes something or opens another page. If the
    connection breaks during that run, which takes seconds on a new server, the browser asks for a second run by itself,
    and the reader has seen nothing of the first.
    """
    session = this_session()
    messages = session.messages
    parts, texts = messages.of_link, messages.texts
    messages.of_link, messages.texts = [], []
    if messages.standing is None and len(parts) + len(texts) > 1:
        parts, texts = [*parts, *texts], []  # in the first run, all messages are about the link
    shown = [_ignored(list(dict.fromkeys(parts)))] if parts else []
    shown += [as_message(message) for message in texts]
    state = session.page, values, dict(this_page().texts)
    if messages.standing is None:
        messages.standing = state, shown
    elif state != messages.standing[0]:
        messages.standing = state, []
    return list(dict.fromkeys([*messages.standing[1], *shown]))


def has_messages() -> bool:
    """Whether there are messages, new or standing, that need a full run."""
    messages = this_session().messages
    return any((messages.of_link, messages.texts, messages.standing and messages.standing[1]))


def forget_messages() -> None:
    """Stop showing the first run's messages about the link."""
    messages = this_session().messages
    messages.standing = messages.standing and (messages.standing[0], [])


def _ignored(parts: list[str]) -> str:
    if len(parts) == 1:
        return as_message(words.say("links.part", part=parts[0]))
    return "\n".join([as_message(words.say("links.parts")), "", *(f"- {as_message(part)}" for part in parts)])


def set_up(values: dict[str, Any]) -> None:
    """Take all controls' values, and adapt the changes of matrices.

    Changes that came with the URL are all taken; those made here survive only while their
    matrix stays the same, and are offered back otherwise.
    """
    session = this_session()
    if session.dropped.page not in (None, session.page):
        forget_offer()
    text, cut = shortened(values["text"][:MAX_TEXT_CHARACTERS], values["tokenizer"], MAX_TOKENS)
    if cut:
        add_message(words.say("messages.long_sentence", tokens=plural(MAX_TOKENS, "token")))
    session.blank = not tokenize(text, values["tokenizer"])
    if session.blank:  # the previous set-up is kept, to compare with once there is a sentence
        return
    before = session.set_up
    if before is not None and before["text"] != text and session.dropped.page is not None:
        forget_offer()  # it was shown with another sentence; only what this change drops is offered
    values |= {"text": text, "second": values["second"][:MAX_SECOND_CHARACTERS]}
    values, conflicts = fitted(values, len(tokenize(text, values["tokenizer"])))
    for conflict in conflicts:  # the controls keep the reader's values
        add_message(conflict_text(conflict, values))
    session.set_up = values
    encoded, arrived = url_texts.received(CHANGES)
    if not arrived and before == values and session.computed and session.computed.changes == encoded:
        return  # nothing changed since the last run
    plain = session.plain(values)
    changes, error = EDITS.read(encoded)
    if session.last_changes not in (None, encoded):  # a link or the board changed them
        redraw_editors()
    if not arrived and before is not None:
        changes, dropped = carry_over(changes, scenario_of(before), plain)
        if dropped:
            offer_back(dropped)
    scenario, left = bring_back(plain, changes)
    if error := with_unfitting(error, left, scenario):
        say_ignored(EDITS.refusal(encoded, error, literal))
    url_texts.correct(CHANGES, EDITS.write(changes_of(scenario)))
    session.last_changes = url_texts.current(CHANGES)


def start_set_up_anew(scenario: Scenario) -> None:
    """Begin the next set-up with a scenario's changes; offer old ones back."""
    session = this_session()
    before = Changes() if session.set_up is None else decode_changes(session.changes)[0]
    session.set_up = None  # so that no change is carried over to another computation
    forget_offer()
    if before and before != changes_of(scenario):
        offer_back(before)
    keep(scenario)
    redraw_editors()


def digits() -> int:
    """Return how many decimals the reader wants to see."""
    return this_session().digits


def keep(scenario: Scenario) -> None:
    """Keep a scenario's changes for the next run and in the URL."""
    url_texts.put(CHANGES, changes_of(scenario))
    this_session().last_changes = url_texts.current(CHANGES)


def adopt(scenario: Scenario) -> None:
    """Make this the current scenario, in every control; in a callback."""
    values = {name: getattr(scenario, name) for name in parameters() if hasattr(scenario, name)}
    device, notice = resolve_device(scenario.device)
    values["device"] = str(device)
    if notice:
        add_message(str(notice))
    address.set_controls(values)
    # It also becomes the previous set-up, so that the next run has no reason to drop the changes.
    session = this_session()
    session.set_up = {**(session.set_up or {}), **values}
    keep(scenario)
    redraw_editors()


def redraw_editors() -> None:
    """Redraw the editors from the current matrices, under new keys."""
    this_session().revision += 1


def offer_back(dropped: Changes) -> None:
    """Keep dropped changes so that the reader can have them back."""
    this_session().dropped.changes = encode_changes(offered() + dropped)
    redraw_editors()


def offered() -> Changes:
    """Return the changes that were dropped last."""
    return decode_changes(this_session().dropped.changes)[0]


def offered_here() -> Changes:
    """Return the last dropped changes, offered until this page is left."""
    dropped, session = offered(), this_session()
    if dropped:
        session.dropped.page = session.page
    return dropped


def take_back() -> None:
    """Bring back the offered changes that fit; keep offering the rest."""
    scenario = this_session().scenario
    if scenario is None:
        return
    scenario, left = bring_back(scenario, offered())
    this_session().dropped.changes = encode_changes(left)
    keep(scenario)
    redraw_editors()


def forget_offer() -> None:
    """Stop offering the dropped changes."""
    this_session().dropped = Dropped()
