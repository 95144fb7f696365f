"""The life of a link on the first run of a session: read, validate, apply; then the page is drawn, the address mended.

What a link says is read by the table of parameters (:mod:`attnviz.link.state`), whichever page it opens: what cannot
be used is told at once, and not when a page that uses it is opened. Each page reads its own again after Back.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from attnviz.app.check import blanks, typed
from attnviz.app.keeper import figures
from attnviz.app.model.typing import model_session
from attnviz.app.parts import examples
from attnviz.app.scaling import controls
from attnviz.app.session import state, url_texts
from attnviz.app.session.address import open_as
from attnviz.app.session.memory import asked, came_back, forget, memory
from attnviz.app.session.session import this_session
from attnviz.app.shell.opening.long_link import what_was_left_out
from attnviz.app.text import literal
from attnviz.core.scenario import Scenario
from attnviz.link.parameter import Around
from attnviz.link.parameter_table import ANSWERS, SWEEP, TABLES
from attnviz.link.set_up import read_controls
from attnviz.link.state import read_link, read_texts, says_nothing

# Pages whose controls are not bound to the address, and are filled with what it says.
_FILLED: Mapping[str, Callable[[Any], None]] = MappingProxyType(
    {SWEEP: controls.fill, TABLES: typed.fill, ANSWERS: blanks.fill}
)


def read(page: str) -> dict[str, Any]:
    """Read the link to a page and apply what it says of the controls; return their values.

    Where not all of it can be used, or it names a worked example, the page runs again as if it had come as it is used.
    """
    came = asked()
    now = memory()  # with what the page came with: where that is nothing, the app opens it with something
    if page == "model" and now is not None and not says_nothing(now.asked):
        model_session().new = False
    opened = read_link(came, literal, what_was_left_out)
    if opened.told:
        figures.REFUSED_LINKS.inc()
    for part in opened.told:
        state.say_ignored(part)
    forget(opened.unknown)
    if opened.example:
        examples.name_now(opened.example)
    if opened.query != came:
        open_as(opened.query)
    values, _ = read_controls(opened.query)
    # As those of the controls, too: a reader who opens another page before these are drawn keeps them.
    session = this_session()
    for name, value in values.items():
        session.put(name, value)
    return values


def take_texts(scenario: Scenario | None) -> None:
    """Validate what the link says beside the controls by the scenario that these made, and apply it.

    Without a scenario, while the sentence is blank, what concerns its tokens and cells waits until there is one.
    """
    for name, read in read_texts(asked(), Around(scenario, digits=state.digits()), literal).items():
        if read.told:
            state.say_ignored(read.told)
        url_texts.correct(name, read.text)
        if name in _FILLED and not came_back():
            _FILLED[name](read.value)
