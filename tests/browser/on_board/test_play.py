"""Play this row: what is done to the picked token's row, and that the board stands still after it; motion."""

import base64
import re
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from attnviz.words import say
from tests.browser.board import Board
from tests.browser.playground import at_rest, eventually
from tests.browser.readers import New

PUBLISHED = {"embedding": "published"}
PHASES = ["q", "scores", "scaled_scores", "attention_weights", "context"]

_SHADOW = """const host = document.querySelector('[class*=st-key-][class*=board] [data-testid$=Isolated]');
const root = host.shadowRoot;
const board = root.querySelector('.board');
const lookOf = each => [each.effect.target.getAttribute('class'), each.effect.getTiming().duration];"""
_MOVING = f"""() => {{ {_SHADOW}
  return root.getAnimations().filter(each => each.playState === 'running').map(lookOf);
}}"""
# Which phase begins; a frame takes eight times as long as it does.
_LISTEN = f"""() => {{ {_SHADOW}
  window.phases = [];
  board.addEventListener('attnviz:phase', event => window.phases.push(event.detail));
  const [now, frame] = [performance.now.bind(performance), requestAnimationFrame];
  performance.now = () => 8 * now();
  window.requestAnimationFrame = call => frame(time => call(8 * time));
}}"""
# How many channels of pixels of two pictures differ by more than 2 of 255.
_DIFFERENCE = """async pictures => {
  const [one, other] = await Promise.all(pictures.map(async picture => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(picture), each => each.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    return canvas.getImageData(0, 0, image.width, image.height).data;
  }));
  if (one.length !== other.length) return one.length;
  return one.reduce((sum, channel, at) => sum + (Math.abs(channel - other[at]) > 2), 0);
}"""
_BLUR = """() => {
  let at = document;
  while (at.activeElement?.shadowRoot) at = at.activeElement.shadowRoot;
  at.activeElement?.blur();
}"""
_RIBBONS = f"() => {{ {_SHADOW} return [...root.querySelectorAll('.ribbon')].map(each => each.getAttribute('d')) }}"


class Player(Board):
    """A reader who plays a row."""

    @property
    def play(self) -> Locator:
        return self.board.locator(".playback .play")

    @property
    def slider(self) -> Locator:
        return self.board.locator(".playback .moment")

    def moving(self) -> list[list[Any]]:
        return list(self.page.evaluate(_MOVING))

    def is_as_in(self, picture: bytes) -> None:
        """Wait until the board looks the same; what a raster rounds differently at round corners is nothing to see."""

        def differs() -> int:
            pictures = [base64.b64encode(each).decode() for each in (picture, self.picture())]
            return int(self.page.evaluate(_DIFFERENCE, pictures))

        eventually(lambda: differs() <= 40, True)

    def picture(self) -> bytes:
        """The board with nothing pointed at and no focus, without the buttons, of which another is filled next."""
        self.page.mouse.move(2, 2)
        self.page.evaluate(_BLUR)
        buttons = [self.board.locator(".tools")]
        return bytes(at_rest(self.page, partial(self.board.screenshot, mask=buttons)))


@pytest.fixture
def player(new: New) -> Player:
    board = new(Player)
    board.open_board(**PUBLISHED, query=1)
    board.torch_says()
    return board


# --- The play ------------------------------------------------------------------------------------------------


def test_a_row_is_played_phase_by_phase_and_ends_with_the_board_as_it_stood(player: Player) -> None:
    before, numbers = player.picture(), player.numbers()
    player.page.evaluate(_LISTEN)
    player.play.click()
    expect(player.play).to_have_text(say("board.play.pause"))
    expect(player.board).to_have_class(re.compile("playing"))
    assert player.numbers() == numbers, "the board's own numbers stay while others run over them"
    expect(player.play).to_have_text(say("board.play.start"))
    assert player.page.evaluate("phases") == [*PHASES, None]
    player.is_as_in(before)


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
    at = player.slider.get_attribute("aria-valuetext") or ""
    player.press_keys("ArrowRight", "ArrowRight", "ArrowLeft")  # from phase to phase
    assert at.startswith("1 of 5")
    assert (player.slider.get_attribute("aria-valuetext") or "").startswith("2 of 5")
    player.press_keys("End")
    expect(player.board).not_to_have_class(re.compile("playing"))
    player.press_keys("Home")
    player.press_keys("Escape")
    expect(player.slider).to_be_hidden()
    player.is_as_in(before)
    player.page.set_viewport_size({"width": 1920, "height": 1080})
    player.press_keys("p")
    eventually(lambda: "present=1" in player.page.url, True)
    player.play.press("Enter")
    expect(player.slider).to_be_visible()
    for presents in (True, False):  # what is played is ended first
        player.press_keys("Escape")
        expect(player.slider).to_be_hidden()
        eventually(lambda: "present=1" in player.page.url, presents)


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
