"""What the comparison of pictures forgives, and what it doesn't."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageFont

from tests.browser.pictures.comparing import explained, is_alike, reduced, strayed
from tests.browser.pictures.keeping import KEPT, LOOKS, MOST_BYTES, keep, kept, path_of
from tests.browser.pictures.states import STATES

DOCS = Path(__file__).parents[2] / "docs"
SIZE = (640, 360)
FINE = 4  # as often each pixel is drawn, each way, before it is one
WORDS = ("the", "fluffy", "cat", "chased", "a", "mouse")
SHARES = (0.05, 0.06, 0.61, 0.01, 0.04, 0.23)
# Paper, letters, weights, queries and keys, light and dark.
LIGHT = ("#ffffff", "#1a1d21", "#4A1257", "#0067B0", "#B54A00")
DARK = ("#14171c", "#eceff3", "#F3D9FA", "#62B5F5", "#FF9A56")
Colours = tuple[str, str, str, str, str]
Page = Callable[..., Image.Image]


@cache
def drawn(
    colours: Colours = LIGHT,
    *,
    matrix: tuple[int, int] = (200, 190),
    queries_as_keys: bool = False,
    left_out: int | None = None,
    cell: float = 0.61,
    letters: tuple[float, float] = (0, 0),
) -> Image.Image:
    """Draw words with ribbons, and two matrices with numbers; every letter beside its place by so many pixels."""
    paper, ink, plum, blue, orange = colours
    image = Image.new("RGB", (SIZE[0] * FINE, SIZE[1] * FINE), paper)
    pen, font = ImageDraw.Draw(image, "RGBA"), ImageFont.load_default(14 * FINE)

    def box(x: float, y: float, width: float, height: float, colour: str, share: float) -> None:
        layer = Image.new("RGBA", (int(width * FINE), int(height * FINE)), colour)
        layer.putalpha(int(255 * share))
        image.paste(layer, (int(x * FINE), int(y * FINE)), layer)

    def text(x: float, y: float, says: str) -> None:
        pen.text(((x + letters[0]) * FINE, (y + letters[1]) * FINE), says, font=font, fill=ink)

    for at, (word, share) in enumerate(zip(WORDS, SHARES, strict=True)):
        if at != left_out:
            box(20 + 90 * at, 20, 56 * share, 60, plum, 0.8)
        text(20 + 90 * at, 84, word)
        for other in range(len(WORDS)):
            value = cell if (at, other) == (1, 2) else SHARES[(at + other) % len(SHARES)]
            box(matrix[0] + 42 * other, matrix[1] + 27 * at, 41, 26, plum, value)
            text(matrix[0] + 42 * other + 4, matrix[1] + 27 * at + 5, f"{value:.2f}")
        for feature in range(2):
            box(40 + 42 * feature, 190 + 27 * at, 41, 26, orange if queries_as_keys else blue, 0.2 + 0.3 * feature)
    return image.reduce(FINE)


def moved(image: Image.Image, x: float, y: float) -> Image.Image:
    return image.transform(image.size, Image.Transform.AFFINE, (1, 0, -x, 0, 1, -y), Image.Resampling.BICUBIC)


@pytest.fixture(params=[LIGHT, DARK, "playground-light", "playground-dark"], ids=str)
def page(request: pytest.FixtureRequest) -> Image.Image:
    """A drawn page, and the real ones of the README."""
    if isinstance(request.param, tuple):
        return drawn(request.param)
    return Image.open(DOCS / f"{request.param}.png").convert("RGB")


FORGIVEN: dict[str, Page] = {
    "the same": lambda page: page,
    "half a pixel to the right": lambda page: moved(page, 0.5, 0),
    "a pixel up and left": lambda page: moved(page, -1, -1),
    "softer letters": lambda page: page.filter(ImageFilter.GaussianBlur(0.5)),
    "crisper letters": lambda page: page.filter(ImageFilter.UnsharpMask(1, 60, 0)),
    "more contrast": lambda page: ImageEnhance.Contrast(page).enhance(1.05),
    "letters with coloured edges": lambda page: Image.merge(
        "RGB", [moved(part, x, 0) for part, x in zip(page.split(), (-1 / 3, 0, 1 / 3), strict=True)]
    ),
}


@pytest.mark.parametrize("change", FORGIVEN.values(), ids=FORGIVEN)
def test_other_rasterizing_passes(page: Image.Image, change: Page) -> None:
    assert is_alike(reduced(page), change(page))


@pytest.mark.parametrize("colours", [LIGHT, DARK])
@pytest.mark.parametrize("letters", [(0.3, 0), (0.5, 0.5), (-1, 0), (0, 0.7)])
def test_letters_a_little_beside_their_place_pass(colours: Colours, letters: tuple[float, float]) -> None:
    assert is_alike(reduced(drawn(colours)), drawn(colours, letters=letters))


NOTICED: dict[str, dict[str, object]] = {
    "a matrix 6 px to the right": {"matrix": (206, 190)},
    "a matrix 6 px down": {"matrix": (200, 196)},
    "a matrix 3 px up": {"matrix": (200, 187)},
    "no ribbon of 4 %": {"left_out": 4},
    "a ribbon more than half a sentence wide": {"left_out": 2},
    "another colour for the queries": {"queries_as_keys": True},
    "another number's ink": {"cell": 0.3},
    "words that stand 6 px lower": {"letters": (0, 6)},
}


@pytest.mark.parametrize("colours", [LIGHT, DARK])
@pytest.mark.parametrize("change", NOTICED.values(), ids=NOTICED)
def test_what_has_moved_gone_or_changed_is_noticed(colours: Colours, change: dict[str, object]) -> None:
    assert not is_alike(reduced(drawn(colours)), drawn(colours, **change))


def test_a_page_that_moved_is_noticed(page: Image.Image) -> None:
    for x, y in ((6, 0), (0, 6), (-4, 0)):
        assert not is_alike(reduced(page), ImageChops.offset(page, x, y))


def test_what_strayed_is_shown_where_it_is() -> None:
    before, now = reduced(drawn()), drawn(left_out=2)
    far = strayed(before, now)
    rows, columns = far.nonzero()
    assert 200 / 4 - 2 <= columns.min() <= columns.max() <= (200 + 56) / 4 + 2
    assert 20 / 4 - 2 <= rows.min() <= rows.max() <= 80 / 4 + 2
    width, height = before.size
    assert explained(before, now).size == (width, 3 * height + 2)


def test_pictures_of_other_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"kept picture of \(160, 90\) pixels against one of \(170, 90\)"):
        strayed(reduced(drawn()), drawn().resize((680, 360)))


def test_a_kept_sheet_gives_the_pictures_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.browser.pictures.keeping.KEPT", tmp_path)
    assert kept("state") == {}
    screens = {
        look: drawn(DARK if look.scheme == "dark" else LIGHT).resize((look.width, look.height)) for look in LOOKS
    }  # fmt: skip
    keep("state", screens)
    before = kept("state")
    for look in LOOKS:
        assert is_alike(before[look], screens[look]), look


def test_every_state_is_pictured_and_the_pictures_are_small() -> None:
    assert {path_of(state.name) for state in STATES} == set(KEPT.glob("*"))
    assert sum(path.stat().st_size for path in KEPT.glob("*")) <= MOST_BYTES
