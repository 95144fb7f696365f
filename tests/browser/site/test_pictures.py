"""A dozen pages and states look as they were kept: each in a size and a theme, the next one in the next."""

import shutil
import time

import pytest
from PIL import Image

from tests.browser.pictures.comparing import explained, is_alike
from tests.browser.pictures.keeping import LOOKS, RESULTS, Look, kept
from tests.browser.pictures.states import STATES, Sitter, State
from tests.browser.pictures.taking import Sitting
from tests.browser.readers import New
from tests.browser.serving import ROOT

SECONDS = 30  # in which a page has come to look as it was kept
PAUSE = 0.1


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_a_state_looks_as_it_was_kept(new: New, state: State) -> None:
    results = RESULTS / state.name
    shutil.rmtree(results, ignore_errors=True)
    before, sitting = kept(state.name), Sitting(state, new(Sitter))
    assert before, f"no pictures are kept of this state: make pictures STATES={state.name}"
    sitting.open()
    others = []
    for look in looks_of(state):
        sitting.pose(look)
        now = taken_when_alike(sitting, before[look])
        if not is_alike(before[look], now):
            results.mkdir(parents=True, exist_ok=True)
            now.save(results / f"{look}.png")
            explained(before[look], now).save(results / f"{look}-kept-now-strayed.png")
            others.append(look)
    sitting.leave()
    assert others == [], telling(state, others)


def looks_of(state: State) -> list[Look]:
    """One look, and the next one for the next state."""
    at = STATES.index(state)
    return [look for i, look in enumerate(LOOKS) if (i - at) % 8 == 0]


def taken_when_alike(sitting: Sitting, before: Image.Image) -> Image.Image:
    """Take a picture when the page looks as it was kept, or after a while."""
    deadline = time.monotonic() + SECONDS
    while not is_alike(before, now := sitting.taken()) and time.monotonic() < deadline:
        time.sleep(PAUSE)
    return now


def telling(state: State, others: list[Look]) -> str:
    where = (RESULTS / state.name).relative_to(ROOT)
    return (
        f"{state.name} looks different at {', '.join(map(str, others))}: look into {where}/. "
        f"Where it's meant to: make pictures STATES={state.name}"
    )
