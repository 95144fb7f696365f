"""What a session keeps between runs, as plain values, and how changes of matrices live in it."""

from typing import Any

import streamlit as st

from attnviz import words
from attnviz.app import streamlit_internals
from attnviz.app.session import address, url_texts
from attnviz.app.text import as_message, literal
from attnviz.core.changes import Changes, bring_back, carry_over, changes_of, with_changes
from attnviz.core.devices import resolve_device
from attnviz.core.limits import MAX_SECOND_CHARACTERS, MAX_TEXT_CHARACTERS, MAX_TOKENS
from attnviz.core.scenario import Scenario
from attnviz.core.settings import fitted
from attnviz.core.tokens import shortened, tokenize
from attnviz.link.changes_text import decode_changes, encode_changes, with_misfits
from attnviz.link.set_up import CHANGES, EDITS, parameters, scenario_of, told_misfit
from attnviz.words import plural
from attnviz.words.numbers import DEFAULT_DIGITS

_SETUP, _BLANK, _DROPPED, _REVISION, _MESSAGES = (
    "state.setup", "state.blank", "state.dropped", "state.revision", "state.messages",
)  # fmt: skip
_PARTS, _OF_LINK = "state.parts", "state.of_link"
_PLAIN, _MADE = "state.plain", "state.made"  # scenarios, each beside what it was made of
_OFFERED_ON, _KEPT = "state.offered_on", "state.kept"


def first_run() -> bool:
    """Whether this is the first run of a session, on which the URL is read."""
    return _BLANK not in st.session_state


def say(message: str) -> None:
    """Show a message on this run, above the page: a plain text, in which only what `literal` makes is markup."""
    st.session_state.setdefault(_MESSAGES, []).append(message)


def say_ignored(part: str) -> None:
    """Show that this part of the link was ignored, and why: one message tells all parts of a link."""
    st.session_state.setdefault(_PARTS, []).append(part)


def messages_of_now(values: dict[str, Any]) -> list[str]:
    """Return the messages of this run as Markdown, each once; `values` are those of all controls.

    What the first run says of the link stands until the reader changes something or opens another page. The browser
    asks for a second run by itself where its connection broke during the first, which takes seconds on a new server:
    it may not have seen a word of it.
    """
    parts, said = st.session_state.pop(_PARTS, []), st.session_state.pop(_MESSAGES, [])
    if _OF_LINK not in st.session_state and len(parts) + len(said) > 1:
        parts, said = [*parts, *said], []  # whatever the first run says, it says of the link
    told = [_ignored(list(dict.fromkeys(parts)))] if parts else []
    told += [as_message(message) for message in said]
    now = streamlit_internals.page_of_now(), values, url_texts.texts()
    since, of_link = st.session_state.setdefault(_OF_LINK, (now, told))
    if now != since:
        st.session_state[_OF_LINK] = now, []
        of_link = []
    return list(dict.fromkeys([*of_link, *told]))


def has_messages() -> bool:
    """Whether anything is to be said, or stands there and may have to go, which no run of a part of the page shows."""
    _, of_link = st.session_state.get(_OF_LINK, (None, []))
    return any((st.session_state.get(_PARTS), st.session_state.get(_MESSAGES), of_link))


def forget_messages() -> None:
    """Show no more what the first run said of the link."""
    since, _ = st.session_state[_OF_LINK]
    st.session_state[_OF_LINK] = since, []


def _ignored(parts: list[str]) -> str:
    if len(parts) == 1:
        return as_message(words.say("links.part", part=parts[0]))
    return "\n".join([as_message(words.say("links.parts")), "", *(f"- {as_message(part)}" for part in parts)])


def set_up(values: dict[str, Any]) -> None:
    """Take the values of all controls, and bring the changes of matrices in line with them.

    Changes that came with the URL are all taken; those made here survive only while their
    matrix stays the same, and are offered back otherwise.
    """
    if st.session_state.get(_OFFERED_ON, streamlit_internals.page_of_now()) != streamlit_internals.page_of_now():
        forget_offer()
    text, cut = shortened(values["text"][:MAX_TEXT_CHARACTERS], values["tokenizer"], MAX_TOKENS)
    if cut:
        say(words.say("messages.long_sentence", tokens=plural(MAX_TOKENS, "token")))
    st.session_state[_BLANK] = not tokenize(text, values["tokenizer"])
    if st.session_state[_BLANK]:  # the set-up of before stays, to be compared with once there is a sentence
        return
    before = st.session_state.get(_SETUP)
    if before is not None and before["text"] != text and _OFFERED_ON in st.session_state:
        forget_offer()  # seen at another sentence; what this one drops, or the click that took it, is offered
    values |= {"text": text, "second": values["second"][:MAX_SECOND_CHARACTERS]}
    values, misfits = fitted(values, len(tokenize(text, values["tokenizer"])))
    for misfit in misfits:  # the controls stay as they are
        say(told_misfit(misfit, values))
    st.session_state[_SETUP] = values
    encoded, arrived = url_texts.receive(CHANGES)
    if not arrived and before == values and st.session_state.get(_MADE, ())[:2] == (values, encoded):
        return  # as on the run before
    plain = _plain()
    changes, error = EDITS.read(encoded)
    if arrived or encoded != st.session_state.get(_KEPT, encoded):  # by a link, or by the board
        redraw_editors()
    if not arrived and before is not None:
        changes, dropped = carry_over(changes, scenario_of(before), plain)
        if dropped:
            offer_back(dropped)
    scenario, left = bring_back(plain, changes)
    if error := with_misfits(error, left, scenario):
        say_ignored(EDITS.told(encoded, error, literal))
    url_texts.correct(CHANGES, EDITS.write(changes_of(scenario)))
    st.session_state[_KEPT] = url_texts.current(CHANGES)


def start_set_up_anew(scenario: Scenario) -> None:
    """Make the changes of this scenario those of the next set-up; the reader's own of before are offered back."""
    before = current_changes() if _SETUP in st.session_state else Changes()
    st.session_state.pop(_SETUP, None)  # nothing is carried over to what is another computation
    forget_offer()
    if before and before != changes_of(scenario):
        offer_back(before)
    keep(scenario)
    redraw_editors()


def current_scenario() -> Scenario | None:
    """Return the current scenario, set-up and changes; None while the sentence is blank, or the set-up begins anew."""
    set_up_now = st.session_state.get(_SETUP)
    if st.session_state.get(_BLANK) or set_up_now is None:
        return None
    of = dict(set_up_now), url_texts.current(CHANGES)
    made: tuple[Any, ...] = st.session_state.get(_MADE, ())
    if made[:2] != of:
        st.session_state[_MADE] = made = (*of, with_changes(_plain(), current_changes()))
    scenario: Scenario = made[2]
    return scenario


def _plain() -> Scenario:
    """Return the scenario of the set-up without any changes."""
    values = dict(st.session_state[_SETUP])
    made: tuple[Any, ...] = st.session_state.get(_PLAIN, ())
    if made[:1] != (values,):
        st.session_state[_PLAIN] = made = values, scenario_of(values)
    plain: Scenario = made[1]
    return plain


def digits() -> int:
    """Return how many decimals the reader wants to see."""
    set_up_now = st.session_state.get(_SETUP)
    return DEFAULT_DIGITS if set_up_now is None else int(set_up_now["digits"])


def keep(scenario: Scenario) -> None:
    """Keep the changes of a scenario for the next run and in the URL."""
    url_texts.put(CHANGES, changes_of(scenario))
    st.session_state[_KEPT] = url_texts.current(CHANGES)


def adopt(scenario: Scenario) -> None:
    """Make this the current scenario, in every control; in a callback, before the controls are drawn."""
    values = {name: getattr(scenario, name) for name in parameters() if hasattr(scenario, name)}
    device, notice = resolve_device(scenario.device)
    values["device"] = str(device)
    if notice:
        say(notice)
    address.turn(values)
    # As the set-up of before, too, so that the next run finds nothing that must drop the changes.
    st.session_state[_SETUP] = {**st.session_state[_SETUP], **values}
    keep(scenario)
    redraw_editors()


def redraw_editors() -> None:
    """Make the editors start from the current matrices: each is drawn under a new key."""
    st.session_state[_REVISION] = revision() + 1


def revision() -> int:
    """Return the number that changes whenever the editors are to start anew."""
    return int(st.session_state.get(_REVISION, 0))


def current_changes() -> Changes:
    """Return the changes as they were kept last."""
    return decode_changes(url_texts.current(CHANGES))[0]


def offer_back(dropped: Changes) -> None:
    """Keep dropped changes so that the reader can have them back."""
    st.session_state[_DROPPED] = encode_changes(offered() + dropped)
    redraw_editors()


def offered() -> Changes:
    """Return the changes that were dropped last."""
    return decode_changes(st.session_state.get(_DROPPED, ""))[0]


def offered_here() -> Changes:
    """Return the changes that were dropped last, to be offered on this page: leaving it ends the offer."""
    dropped = offered()
    if dropped:
        st.session_state[_OFFERED_ON] = streamlit_internals.page_of_now()
    return dropped


def take_back() -> None:
    """Lay the offered changes over the current matrices; what does not fit stays on offer."""
    scenario = current_scenario()
    if scenario is None:
        return
    scenario, left = bring_back(scenario, offered())
    st.session_state[_DROPPED] = encode_changes(left)
    keep(scenario)
    redraw_editors()


def forget_offer() -> None:
    """Stop offering the dropped changes."""
    st.session_state.pop(_DROPPED, None)
    st.session_state.pop(_OFFERED_ON, None)
