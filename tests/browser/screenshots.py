"""Takes new pictures for the README: `python -m tests.browser.screenshots [PICTURE ...]`.

The first one moves: a weight is dragged down and back. Readers who ask for less motion get a still one. All lie in
docs/pictures/, light and dark.
"""

import argparse
import io
import math
import sys
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.board import DRAG_STARTS, Board, Place, way_to
from tests.browser.pictures.keeping import Look
from tests.browser.pictures.states import CAT, STATES, Sitter, State
from tests.browser.pictures.taking import STILL, Sitting
from tests.browser.serving import ROOT, launched_chromium, running_server

PICTURES = ROOT / "docs" / "pictures"
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
MOVING, UNMOVED = "drag", "drag-still"
MOST_BYTES = {MOVING: 600_000}
MOST_BYTES_OF_OTHERS = 60_000

# The weight that is dragged, how far in hundredths, and in how many frames. A frame lasts so many milliseconds; the
# first one and the one at the turn last longer.
DRAGGED: Place = ("w_q", 1, 0)
FURTHEST, FRAMES = -300, 16
FRAME_MS, REST_MS, TURN_MS = 80, 1200, 1000
STILL_AT = -150
BOARD_SIZE = 1160, 690
COLOURS, COLOURS_OF_ALL_FRAMES = 256, 512

# What the README shows under the names of its files: states, their sizes, and the text with which the picture begins,
# if it isn't the top of the page. All but the lesson are states of tests/browser/pictures.
KEPT = {state.name: state for state in STATES}
LESSON = State("lesson", "/lesson", CAT | {"step": "softmax", "predictions": "off"})
SHOWN = {
    "lesson": (LESSON, 1280, 720, None),
    "question": (KEPT["question"], 1160, 690, None),
    "marked": (KEPT["check-example"], 1160, 740, "X, given"),
    "model": (KEPT["model"], 1160, 690, None),
}

# Screenshots have no pointer, so one is drawn. It hears nothing.
_POINTER = """([x, y]) => {
  let pointer = document.querySelector("#pointer");
  if (!pointer) {
    document.body.insertAdjacentHTML("beforeend", `<svg id="pointer" width="20" height="28" viewBox="0 0 20 28"
      style="position: fixed; z-index: 9999999; pointer-events: none">
      <path d="M1 1V23L6.5 18L10 26L14 24.5L10.5 16.5H18Z" fill="#000" stroke="#fff" stroke-width="1.6"/></svg>`);
    pointer = document.querySelector("#pointer");
  }
  Object.assign(pointer.style, { left: `${x}px`, top: `${y}px` });
}"""


# Below the page's bar.
_TO_THE_TOP = """each => {
  each.style.scrollMarginTop = "64px";
  each.scrollIntoView({ block: "start" });
}"""


def opened_board(browser: Browser, server: str, scheme: Scheme) -> Board:
    width, height = BOARD_SIZE
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    board = Board(context.new_page(), server).open_board(**CAT, query=1).torch_says()
    board.page.add_style_tag(content=STILL)
    board.page.mouse.move(2, 2)  # nothing is pointed at
    board.page.evaluate("document.fonts.ready.then(() => {})")
    board.page.wait_for_timeout(1000)
    return board


def screen(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")


def frames(board: Board) -> Iterator[tuple[Image.Image, int]]:
    """Give each frame of the drag with its duration in milliseconds."""
    yield screen(board.page), REST_MS
    # As a hand moves: slow at first, fast in between, slow at the end.
    parts = [(1 - math.cos(math.pi * each / FRAMES)) / 2 for each in range(FRAMES + 1)]
    ways = [way_to(board.page, DRAGGED, round(FURTHEST * part)) for part in parts]
    x, y = board.grab(board.cell(DRAGGED))
    board.page.mouse.move(x - DRAG_STARTS, y)
    there = []
    for way in ways:
        board.page.mouse.move(x + way, y)
        board.page.evaluate(_POINTER, [x + way, y])
        board.page.wait_for_timeout(100)
        there.append(screen(board.page))
    board.page.mouse.up()
    yield from ((each, FRAME_MS) for each in there[:-1])
    yield there[-1], TURN_MS
    yield from ((each, FRAME_MS) for each in reversed(there[:-1]))


def moving(browser: Browser, server: str, scheme: Scheme) -> bytes:
    board = opened_board(browser, server, scheme)
    pictures, durations = zip(*frames(board), strict=True)
    board.page.context.close()
    return packed_frames(pictures, durations)


def packed_frames(pictures: Sequence[Image.Image], durations: Sequence[int]) -> bytes:
    first, *others = in_few_colours(pictures, COLOURS_OF_ALL_FRAMES)
    packed_bytes = io.BytesIO()
    first.save(
        packed_bytes, "WEBP", save_all=True, append_images=others, duration=list(durations), loop=0,
        lossless=True, quality=80, method=4,
    )  # fmt: skip
    return packed_bytes.getvalue()


def unmoved(browser: Browser, server: str, scheme: Scheme) -> bytes:
    """Return the board after such a drag, with what changed."""
    board = opened_board(browser, server, scheme)
    board.scrub(DRAGGED, STILL_AT).torch_says()
    board.page.mouse.move(2, 2)
    board.page.wait_for_timeout(1000)
    taken = screen(board.page)
    board.page.context.close()
    return packed(taken)


def shown(browser: Browser, server: str, scheme: Scheme, name: str) -> bytes:
    state, width, height, begins = SHOWN[name]
    sitting = Sitting(state, Sitter(browser.new_context().new_page(), server))
    sitting.open()
    sitting.pose(Look(width, height, scheme))
    if begins:
        sitting.page.get_by_text(begins, exact=True).first.evaluate(_TO_THE_TOP)
    taken = sitting.still()
    sitting.page.context.close()
    return packed(taken)


def packed(picture: Image.Image) -> bytes:
    (few,) = in_few_colours([picture], COLOURS)
    packed_bytes = io.BytesIO()
    few.save(packed_bytes, "WEBP", lossless=True, quality=100, method=6)
    return packed_bytes.getvalue()


def in_few_colours(pictures: Sequence[Image.Image], count: int) -> list[Image.Image]:
    """Return the pictures with so many colours in common, which takes half the room.

    Half of them are the most frequent ones, as large areas have them; the others lie evenly among all.
    """
    pixels = np.stack([np.asarray(each, np.int32) for each in pictures])
    numbers, places, counts = np.unique(pixels @ (1 << 16, 1 << 8, 1), return_inverse=True, return_counts=True)
    colours = np.stack([numbers >> 16, numbers >> 8 & 255, numbers & 255], axis=-1)
    frequent = colours[np.argsort(-counts)[: count // 2]]
    each_once = Image.fromarray(colours[None].astype(np.uint8))
    spread = each_once.quantize(count // 2, Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = np.concatenate([frequent, np.reshape(spread, (-1, 3))])
    nearest = [np.square(palette - colour).sum(axis=1).argmin() for colour in colours]
    few = palette[nearest].astype(np.uint8)[places.reshape(pixels.shape[:-1])]
    return [Image.fromarray(each) for each in few]


def main() -> int:
    names = [MOVING, UNMOVED, *SHOWN]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", help=f"one of {', '.join(names)}; all, where none is")
    asked = parser.parse_args().pictures or names
    if unknown := set(asked) - set(names):
        parser.error(f"no such picture: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    PICTURES.mkdir(exist_ok=True)
    too_large = False
    with running_server() as server, sync_playwright() as playwright:
        browser = launched_chromium(playwright)
        for name in asked:
            for scheme in SCHEMES:
                take = {MOVING: moving, UNMOVED: unmoved}.get(name)
                picture = take(browser, server, scheme) if take else shown(browser, server, scheme, name)
                path = PICTURES / f"{name}-{scheme}.webp"
                path.write_bytes(picture)
                print(f"{path.relative_to(ROOT)}: {len(picture) / 1000:.0f} kB", flush=True)
                if len(picture) > (most := MOST_BYTES.get(name, MOST_BYTES_OF_OTHERS)):
                    print(f"more than {most / 1000:.0f} kB, too large for a README", file=sys.stderr)
                    too_large = True
        browser.close()
    return int(too_large)


if __name__ == "__main__":
    sys.exit(main())
