"""Sharing in a real browser: the link that is copied opens the same, files come and go."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from playwright.sync_api import expect

from attnviz import Scenario, trace
from attnviz.documents import report
from attnviz.export import pytorch_script
from tests.browser.board import Board
from tests.browser.playground import Playground


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


def test_code_pictures_and_a_report_are_taken_home(new_board: Callable[..., Board]) -> None:
    scenario = Scenario(
        "</script><b>x</b> cat", embedding="published", seed=7, tokenizer="whitespace", causal=True
    )  # fmt: skip
    board = new_board(color_scheme="dark").open_board(text=scenario.text, seed=7, tokenizer="whitespace", causal="true")
    assert board.page.locator("iframe").count() == 0
    share(board, "Code").says("The same computation in PyTorch.")
    assert saved(board, "Python script").read_text(encoding="utf-8") == pytorch_script(scenario)
    assert "mask = torch.full(" in board.page.get_by_test_id("stCode").inner_text()

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
