"""Play this row: what is done to the picked token's row, and that the board stands still after it; motion and hints."""

import base64
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Self

import pytest
from playwright.sync_api import Locator, expect

from attnviz.words import say
from tests.browser.board import Board
from tests.browser.playground import eventually
from tests.browser.readers import Tabs, readers
from tests.whole import dear

PUBLISHED = {"embedding": "published"}
PLAYED_SECONDS = 7
UNREACHED = 0.08
PHASES = ["q", "scores", "scaled_scores", "attention_weights", "context"]

_SHADOW = """const host = document.querySelector('[class*=st-key-][class*=board] [data-testid$=Isolated]');
const root = host.shadowRoot;
const board = root.querySelector('.board');
const lookOf = each => [each.effect.target.getAttribute('class'), each.effect.getTiming().duration];"""
# How much of a cell of the board is seen through the veil, and which cells are at work or made.
_SEEN = f"""at => {{ {_SHADOW}
  const cell = root.querySelector(`[data-at="${{at}}"]`);
  const over = Number(getComputedStyle(cell).zIndex) >= 4;
  return over ? 1 : 1 - Number(getComputedStyle(root.querySelector('.veil')).opacity);
}}"""
_MARKED = (
    f"mark => {{ {_SHADOW} return [...root.querySelectorAll('.cell.' + mark)].map(each => each.dataset.at).sort() }}"
)
_NUMBERS = f"() => {{ {_SHADOW} return [...root.querySelectorAll('.act.number')].map(each => each.textContent) }}"
_MOVING = f"""() => {{ {_SHADOW}
  return root.getAnimations().filter(each => each.playState === 'running').map(lookOf);
}}"""
# Which phase begins, and when what is clicked first has ended, in seconds.
_LISTEN = f"""() => {{ {_SHADOW}
  window.phases = [];
  let clicked = null;
  root.addEventListener('click', () => {{ clicked ??= performance.now(); }}, true);
  board.addEventListener('attnviz:phase', event => {{
    window.phases.push(event.detail);
    if (event.detail === null) window.took = (performance.now() - clicked) / 1000;
  }});
}}"""
# The most by which a channel of any pixel of two pictures differs, of 255.
_DIFFERENCE = """async pictures => {
  const [one, other] = await Promise.all(pictures.map(async picture => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(picture), each => each.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    return canvas.getImageData(0, 0, image.width, image.height).data;
  }));
  if (one.length !== other.length) return 255;
  return one.reduce((most, channel, at) => Math.max(most, Math.abs(channel - other[at])), 0);
}"""
_SCRUB = "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')) }"
_BLUR = """() => {
  let at = document;
  while (at.activeElement?.shadowRoot) at = at.activeElement.shadowRoot;
  at.activeElement?.blur();
}"""
_BOXES = f"""() => {{ {_SHADOW}
  const seen = [...root.querySelectorAll('.cell, .chip, .panel')];
  return seen.map(each => JSON.stringify(each.getBoundingClientRect()));
}}"""
_RIBBONS = f"() => {{ {_SHADOW} return [...root.querySelectorAll('.ribbon')].map(each => each.getAttribute('d')) }}"
_OVERLAPS = f"""() => {{ {_SHADOW}
  const hint = root.querySelector('.hint').getBoundingClientRect();
  return [...root.querySelectorAll('.cell, .chip, .title, .says b, .tools button')].filter(each => {{
    const box = each.getBoundingClientRect();
    if (!box.width) return false;
    return hint.left < box.right && box.left < hint.right && hint.top < box.bottom && box.top < hint.bottom;
  }}).map(each => each.textContent);
}}"""


class Player(Board):
    """A reader who plays a row."""

    @property
    def play(self) -> Locator:
        return self.board.locator(".playback .play")

    @property
    def slider(self) -> Locator:
        return self.board.locator(".playback .moment")

    @property
    def hint(self) -> Locator:
        return self.board.locator(".hint")

    def scrub_to(self, milliseconds: float) -> Self:
        if not self.slider.is_visible():
            self.play.click()
        self.slider.evaluate(_SCRUB, milliseconds)
        return self

    def seen(self, at: str) -> float:
        return round(float(self.page.evaluate(_SEEN, at)), 3)

    def marked(self, mark: str) -> list[str]:
        return list(self.page.evaluate(_MARKED, mark))

    def moving(self) -> list[list[Any]]:
        return list(self.page.evaluate(_MOVING))

    def is_as_in(self, picture: bytes) -> None:
        """Check that the board looks the same; what a raster rounds differently at a round corner is nothing to see."""
        pictures = [base64.b64encode(each).decode() for each in (picture, self.picture())]
        assert self.page.evaluate(_DIFFERENCE, pictures) <= 2

    def picture(self) -> bytes:
        """The board with nothing pointed at and no focus."""
        self.page.mouse.move(2, 2)
        self.page.evaluate(_BLUR)
        self.page.wait_for_timeout(300)
        return self.board.screenshot()


@pytest.fixture
def new_player(tabs: Tabs, server: str) -> Iterator[Callable[..., Player]]:
    yield from readers(Player, tabs, server)


@pytest.fixture
def player(new_player: Callable[..., Player]) -> Player:
    board = new_player()
    board.open_board(**PUBLISHED, query=1)
    board.torch_says()
    return board


# --- The play ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_row_is_played_phase_by_phase_and_ends_with_the_board_as_it_stood(
    new_player: Callable[..., Player], theme: str
) -> None:
    player = new_player(color_scheme=theme)
    player.open_board(**PUBLISHED, query=1)
    player.torch_says()
    before, numbers = player.picture(), player.numbers()
    player.page.evaluate(_LISTEN)
    player.play.click()
    expect(player.play).to_have_text(say("board.play.pause"))
    expect(player.board).to_have_class(re.compile("playing"))
    assert player.numbers() == numbers, "the board's own numbers stay while others run over them"
    expect(player.play).to_have_text(say("board.play.start"), timeout=20_000)
    assert player.page.evaluate("took") <= PLAYED_SECONDS
    assert player.page.evaluate("phases") == [*PHASES, None]
    player.is_as_in(before)


@dear
def test_what_is_not_reached_stands_back_and_what_is_at_work_is_lit_as_when_it_is_pointed_at(player: Player) -> None:
    player.scrub_to(900)
    assert player.marked("making") == ["q,1,1"]
    assert player.marked("work") == sorted(
        [*(f"w_q,{row},1" for row in range(3)), *(f"x,1,{column}" for column in range(3))]
    )
    assert [player.seen(at) for at in ("q,1,0", "x,1,2", "w_q,0,1")] == [1, 1, 1]
    assert [player.seen(at) for at in ("scores,1,0", "q,0,0", "context,1,0", "w_k,0,0")] == [UNREACHED] * 4
    expect(player.panel).to_contain_text(say("board.play.vector", token="journey", left="X", right="W_q", made="Q"))
    player.scrub_to(5300)
    assert [player.seen(at) for at in ("scores,1,5", "attention_weights,1,5")] == [1, 1]
    assert player.seen("scores,0,0") == UNREACHED
    expect(player.panel).to_contain_text(say("board.play.mix", right="V", token="journey", made="C"))


def test_it_can_be_paused_and_moved_by_keys_and_left(player: Player) -> None:
    before = player.picture()
    player.play.click()
    expect(player.play).to_have_text(say("board.play.pause"))
    player.play.click()
    expect(player.play).to_have_text(say("board.play.on"))
    stood = player.slider.input_value()
    player.page.wait_for_timeout(300)
    assert player.slider.input_value() == stood
    player.slider.focus()
    player.press_keys("ArrowRight", "ArrowRight")
    assert float(player.slider.input_value()) == pytest.approx(float(stood) + 400)
    assert (player.slider.get_attribute("aria-valuetext") or "").startswith("1 of 5")
    player.press_keys("End")
    expect(player.board).not_to_have_class(re.compile("playing"))
    player.press_keys("Home")
    player.press_keys("Escape")
    expect(player.slider).to_be_hidden()
    player.is_as_in(before)


@dear
def test_the_slider_is_dragged_to_and_fro_with_the_mouse(player: Player) -> None:
    before = player.picture()
    player.play.click()
    expect(player.play).to_have_text(say("board.play.pause"))
    box = player.slider.bounding_box()
    assert box is not None
    least, most = (float(player.slider.get_attribute(name) or "nan") for name in ("min", "max"))
    mouse, y = player.page.mouse, box["y"] + box["height"] / 2
    phases: list[str] = []
    mouse.move(box["x"] + box["width"] / 2, y)
    mouse.down()
    expect(player.play).to_have_text(say("board.play.on"))
    for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.3, 0.1):
        mouse.move(box["x"] + box["width"] * share, y, steps=4)
        # The knob's middle is where the hand is; at the ends it stays within the track.
        assert float(player.slider.input_value()) == pytest.approx(least + (most - least) * share, abs=0.05 * most)
        phases.append((player.slider.get_attribute("aria-valuetext") or "")[:6])
    mouse.up()
    assert phases[:5] == sorted(phases[:5])
    assert phases[0] == "1 of 5"
    assert phases[4] == "5 of 5"
    assert phases[5:] == [phases[1], phases[0]], "what stands is of the place, whichever way it was reached"
    stood = player.slider.input_value()
    player.page.wait_for_timeout(300)
    assert player.slider.input_value() == stood, "it waits where it was let go"
    player.play.click()
    expect(player.play).to_have_text(say("board.play.start"), timeout=20_000)
    player.is_as_in(before)


@dear
def test_scores_run_to_the_scaled_ones(player: Player) -> None:
    scores = [value for at, value in sorted(player.numbers().items()) if at.startswith("scores,1,")]
    player.scrub_to(3400)
    scaled = list(player.page.evaluate(_NUMBERS))
    wanted = [float(value.replace("−", "-")) / 2**0.5 for value in scores]
    assert [float(value.replace("−", "-")) for value in scaled] == pytest.approx(wanted, abs=0.01)


@dear
def test_picking_another_word_or_a_cell_ends_it(player: Player) -> None:
    for where in (player.board.locator(".chip").nth(3), player.cell(("q", 1, 0))):
        player.scrub_to(2000)
        expect(player.board).to_have_class(re.compile("playing"))
        where.click()
        expect(player.board).not_to_have_class(re.compile("playing"))
        expect(player.slider).to_be_hidden()


@dear
def test_masked_keys_are_skipped_and_it_says_so(new_player: Callable[..., Player]) -> None:
    player = new_player()
    player.open_board(**PUBLISHED, query=1, causal="true")
    player.scrub_to(2000)
    expect(player.panel).to_contain_text(say("board.play.scores_masked", token="journey"))
    player.scrub_to(5600)
    assert player.seen("scores,1,1") == 1
    assert player.seen("scores,1,2") == UNREACHED


def test_a_row_with_a_number_that_is_not_finite_says_so_and_does_not_play(new_player: Callable[..., Player]) -> None:
    player = new_player()
    player.open_board(**PUBLISHED, query=1, edits="x.1.0.3e38*w_q.0.0.3e38")
    player.play.click()
    expect(player.board.locator(".message")).to_contain_text("∞")
    expect(player.board).not_to_have_class(re.compile("playing"))


def test_with_reduced_motion_it_goes_in_steps(player: Player) -> None:
    player.page.emulate_media(reduced_motion="reduce")
    before = player.picture()
    for at in range(1, 6):
        player.play.click()
        assert (player.slider.get_attribute("aria-valuetext") or "").startswith(f"{at} of 5")
        stood = player.slider.input_value()
        player.page.wait_for_timeout(100)
        assert player.slider.input_value() == stood == str(at)
        assert player.moving() == []
    player.board.locator(".playback .back").click()
    assert player.slider.input_value() == "4"
    player.play.click()
    player.play.click()
    expect(player.play).to_have_text(say("board.play.start"))
    player.page.emulate_media(reduced_motion="no-preference")
    player.is_as_in(before)


# --- Motion --------------------------------------------------------------------------------------------------


def test_another_picked_word_moves_band_and_ribbons_and_has_its_end_at_once(player: Player) -> None:
    assert player.moving() == [], "nothing moves that nobody touched"
    chip = player.board.locator(".chip").nth(1)
    before = player.page.evaluate(_RIBBONS)
    chip.focus()
    now = player.page.evaluate(
        f"""() => {{ {_SHADOW}
      root.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{key: 'ArrowRight', bubbles: true}}));
      const moving = root.getAnimations().map(lookOf);
      return {{moving, ribbons: [...root.querySelectorAll('.ribbon')].map(each => each.getAttribute('d'))}};
    }}"""
    )
    assert {duration for _, duration in now["moving"]} == {250}
    assert {kind.split()[0] for kind, _ in now["moving"]} == {"picked-row", "along", "ribbon"}
    assert now["ribbons"] != before
    eventually(player.moving, [])
    assert player.page.evaluate(_RIBBONS) == now["ribbons"]
    player.page.emulate_media(reduced_motion="reduce")
    player.press_keys("ArrowRight")
    assert player.moving() == []
    player.page.emulate_media(reduced_motion="no-preference")


@dear
def test_the_switch_of_scaling_lets_numbers_run_for_a_moment_and_a_drag_does_not(player: Player) -> None:
    switch = f"""() => {{ {_SHADOW}
      root.querySelector('.op.scale').click();
      window.animated = root.getAnimations().flatMap(each => each.effect.getKeyframes().flatMap(Object.keys));
      const cell = root.querySelector('[data-at="scaled_scores,1,1"]');
      const started = performance.now();
      const seen = [];
      return new Promise(resolve => {{
        const look = () => {{
          seen.push([performance.now() - started, cell.textContent, Number(cell.dataset.value)]);
          if (performance.now() - started < 600) requestAnimationFrame(look); else resolve(seen);
        }};
        look();
      }});
    }}"""
    start = player.numbers()["scores,1,1"]
    seen = player.page.evaluate(switch)
    animated = set(player.page.evaluate("animated"))
    assert "boxShadow" in animated, "colours are on their way, too"
    assert "backgroundColor" not in animated, "with which Chromium 156 crashed"
    end = seen[-1][1]
    assert len({value for _, _, value in seen}) == 1, "the number in full is the last one at once"
    between = {float(text) for after, text, _ in seen if 0 < after < 300} - {float(end)}
    assert between, "numbers on their way"
    assert all(float(end) < number < float(start) for number in between)
    assert all(text == end for after, text, _ in seen if after > 400)
    x, y = player.grab(("w_q", 0, 1))
    player.page.mouse.move(x + 40, y)
    player.page.wait_for_timeout(50)
    assert player.moving() == []
    player.page.mouse.up()


# --- Hints ---------------------------------------------------------------------------------------------------


def test_hints_come_one_at_a_time_and_go_when_they_are_done(new_player: Callable[..., Player]) -> None:
    player = new_player()
    player.go()
    expect(player.hint).to_have_count(1)
    expect(player.hint).to_contain_text(say("board.hint.pick"))
    assert player.page.evaluate(_OVERLAPS) == []
    assert words_of_instruction(player) <= 40
    player.board.locator(".chip:not(.on)").first.click()
    expect(player.hint).to_contain_text(say("board.hint.point"))
    assert player.page.evaluate(_OVERLAPS) == []
    player.board.get_by_role("button", name=say("board.hint.dismiss")).click()
    dragged = say("board.hint.drag", value="")
    expect(player.hint).to_contain_text(dragged.strip())
    assert player.page.evaluate(_OVERLAPS) == []
    assert words_of_instruction(player) <= 40
    player.go()
    expect(player.hint).to_contain_text(dragged.strip())
    player.focus_on(("w_q", 0, 1)).press_keys("Alt+ArrowRight")
    expect(player.hint).to_have_count(0)


@dear
def test_a_link_brings_no_hints_and_hints_move_nothing(new_player: Callable[..., Player]) -> None:
    player = new_player()
    player.open_board(**PUBLISHED)
    expect(player.hint).to_have_count(0)
    assert words_of_instruction(player) <= 40
    fresh = new_player()
    fresh.go()
    places = partial(fresh.page.evaluate, _BOXES)
    with_hint = places()
    fresh.board.get_by_role("button", name=say("board.hint.dismiss")).click()
    assert places() == with_hint


def words_of_instruction(player: Player) -> int:
    """How many words tell a reader what can be done, on the board as it opens."""
    told = [
        *player.board.locator(":is(.tools button, .hint span:not(.arrow)):visible").all_inner_texts(),
        say("board.sentence.examples"),
        say("board.panel.point"),
        say("board.panel.how"),
    ]
    return sum(len(re.findall(r"\w[\w'’.]*", text)) for text in told)
