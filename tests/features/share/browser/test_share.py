"""Sharing in a real browser: the link that is copied opens the same, files come and go."""

import re
from base64 import b64decode
from functools import partial
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import segno
from playwright.sync_api import expect

from attnviz import Scenario, trace
from attnviz.documents import report
from attnviz.export import pytorch_script
from attnviz.words import say
from tests.browser.board import Board
from tests.browser.looks import digits_below
from tests.browser.playground import Playground, eventually
from tests.browser.readers import New


def share(playground: Playground, part: str = "") -> Playground:
    playground.press("Share")
    body = playground.page.get_by_test_id("stPopoverBody")
    expect(body).to_be_visible()
    if part:
        body.get_by_text(part, exact=True).click()
    return playground


def copied(playground: Playground, button: str) -> str:
    playground.page.get_by_role("button", name=button, exact=True).click()
    expect(playground.page.get_by_text("Copied", exact=True).first).to_be_visible()
    return str(playground.page.evaluate("navigator.clipboard.readText()"))


def saved(playground: Playground, button: str) -> Path:
    """Press a button that saves a file; return where the file is."""
    with playground.page.expect_download() as download:
        playground.press(button)
    return Path(download.value.path())


def test_code_pictures_and_a_report_are_taken_home(new: New) -> None:
    scenario = Scenario("</script><b>x</b> cat", embedding="published", seed=7, tokenizer="whitespace", causal=True)
    board = new(Board, color_scheme="dark").open_board(
        text=scenario.text, seed=7, tokenizer="whitespace", causal="true"
    )
    assert board.page.locator("iframe").count() == 0
    share(board, "Code").says("The same computation in PyTorch.")
    assert saved(board, "Python script").read_text(encoding="utf-8") == pytorch_script(scenario)
    expect(board.page.get_by_test_id("stCode")).to_contain_text("mask = torch.full(")

    board.page.get_by_test_id("stPopoverBody").get_by_text("Pictures", exact=True).click()
    figure = board.page.get_by_test_id("stPopoverBody").frame_locator("iframe")
    for form, starts in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with board.page.expect_download() as download:
            figure.get_by_role("button", name=f"Save as {form}").click()
        assert download.value.suggested_filename == f"attention_weights.{form.lower()}"
        picture = Path(download.value.path()).read_bytes()
        assert picture.startswith(starts)
        if form == "SVG":
            assert "</script><b>x</b>" in "".join(ElementTree.fromstring(picture).itertext())
    with board.page.expect_download() as download:
        board.press("This figure")
    assert download.value.suggested_filename == "attention_weights.html"
    assert b"Save as SVG" in Path(download.value.path()).read_bytes()
    assert saved(board, "Report of everything").read_text(encoding="utf-8") == report(scenario, trace(scenario))


def opens(url: str, link: str) -> bool:
    """Whether an address is of a link's page, and says all that the link does."""
    at, to = urlsplit(url), urlsplit(f"/{link}")
    return at.path == to.path and set(parse_qsl(to.query)) <= set(parse_qsl(at.query))


def test_a_lecture_is_one_link_led_through_by_two_keys(new: New) -> None:
    """A playlist of several pages, typed as lines, opened in another browser: each moment as it was kept."""
    kept = ["?view=heatmaps&seed=7", "", "lesson?step=scale", "model?model_head=1.1", "compare?example=published"]
    last = len(kept)
    board = share(new(Board).open_board())
    body = board.page.get_by_test_id("stPopoverBody")
    body.get_by_text(say("share.playlist.label"), exact=True).click()
    lines = body.get_by_label(say("share.playlist.lines"))
    lines.fill("".join(f"/{link}  What I say of {n}\n" for n, link in enumerate(kept, 1)) + "nonsense\n")
    lines.press("Control+Enter")
    board.says(f"Line {last + 1} of the playlist begins with")
    lines.fill(
        "".join(f"{board.server}/{link}  What I say of {n}{', and more' * 20}\n" for n, link in enumerate(kept, 1))
    )
    lines.press("Control+Enter")
    expect(board.page.get_by_text(f"1 of {last}", exact=True)).to_be_visible()
    eventually(lambda: "playlist=" in board.address, True)
    link = f"{board.server}/?{board.address.removeprefix('?')}"

    reader = new(Board, 1920, 1080)
    page = reader.page
    page.goto(link)
    expect(page.get_by_text(f"1 of {last}", exact=True)).to_be_visible()
    page.keyboard.press("p")  # by the keyboard alone, in a lecture room
    for n, key in (*((n, "PageDown") for n in range(2, last + 1)), (last - 1, "PageUp")):
        expect(page.locator("nav .at")).not_to_be_empty()
        page.keyboard.press(key)
        expect(page.get_by_text(f"{n} of {last}", exact=True)).to_be_visible()
        here = kept[n - 1].removesuffix("example=published")
        eventually(lambda: opens(page.url, here) or page.url, True)  # noqa: B023
        expect(page.get_by_text(f"What I say of {n},")).to_be_visible()
        expect(page.get_by_test_id("stHeader")).to_be_hidden()
        eventually(partial(digits_below, page, 30), [])
        if not kept[n - 1]:
            expect(page.get_by_text("fluffy", exact=True).first).to_be_visible()  # as a bare address opens
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stHeader")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    end = page.get_by_role("button", name=say("share.playlist.end"), exact=True)
    expect(end).to_be_in_viewport(ratio=1)  # however much there is to say
    end.click()
    eventually(lambda: "playlist" in page.url, False)


def test_a_link_is_a_code_for_telephones_too(new: New) -> None:
    board = share(new(Board).open_board(seed=7))
    board.press(say("share.qr.label"))
    dialog = board.page.get_by_role("dialog").last
    expect(dialog.get_by_role("img").last).to_be_visible()
    expect(dialog.get_by_text("nobody else's telephone")).to_be_visible()
    drawn = dialog.get_by_role("img").last.get_attribute("src") or ""
    shown = BytesIO()
    segno.make(board.page.url, error="l", micro=False).save(
        shown, kind="svg", light="#fff", omitsize=True, xmldecl=False
    )
    svg = b64decode(drawn.partition("base64,")[2]) if "base64," in drawn else board.page.request.get(drawn).body()
    assert re.findall(rb' d="([^"]+)"', svg) == re.findall(rb' d="([^"]+)"', shown.getvalue())
