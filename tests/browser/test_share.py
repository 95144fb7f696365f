"""Sharing in a real browser: the link that is copied opens the same, files come and go."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from playwright.sync_api import expect

from attnviz import Scenario, trace
from attnviz.export import pytorch_script, scenario_from_json, scenario_json
from attnviz.figures import report
from tests.browser.playground import Playground, eventually

EDITED = ["0.4306", "1.6659"]
CLIPBOARD = ["clipboard-read", "clipboard-write"]


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


def test_the_copied_link_opens_the_same_elsewhere(new_reader: Callable[..., Playground]) -> None:
    sender, receiver = new_reader(permissions=CLIPBOARD).open(), new_reader()
    sender.edit(0, 1, 0.9).shows("q", "journey", EDITED)
    sender.switch("Causal mask").pick("starts").says("'starts' attends most to ")
    link = copied(share(sender), "Copy link")
    receiver.page.goto(link)
    receiver.settle().shows("q", "journey", EDITED)
    receiver.says("'starts' attends most to ")
    assert receiver.cells("attention_weights") == sender.cells("attention_weights")


def test_a_lesson_link_hides_what_was_chosen(new_reader: Callable[..., Playground]) -> None:
    teacher, student = new_reader(permissions=CLIPBOARD).open(seed=7), new_reader()
    share(teacher)
    teacher.page.get_by_label("Hide these controls").click()
    teacher.page.get_by_role("option", name="Seed", exact=True).click()
    teacher.page.keyboard.press("Escape")
    link = copied(teacher, "Copy lesson link")
    assert "hide=seed" in link
    student.page.goto(link)
    student.settle().says("1 control is hidden by the link.")
    expect(student.page.get_by_label("Seed", exact=True)).to_be_hidden()
    expect(student.page.get_by_label("d_in", exact=True)).to_be_visible()
    student.press("Show all controls")
    expect(student.page.get_by_label("Seed", exact=True)).to_have_value("7")


def test_a_scenario_is_saved_and_opened_again(new_reader: Callable[..., Playground], tmp_path: Path) -> None:
    playground = new_reader().open()
    playground.edit(0, 1, 0.9).shows("q", "journey", EDITED)
    share(playground, "Data")
    with playground.page.expect_download() as download:
        playground.press("Scenario")
    download.value.save_as(tmp_path / "scenario.json")
    wanted = Scenario(embedding="published", edits=[("w_q", 0, 1, 0.9)])
    assert scenario_from_json((tmp_path / "scenario.json").read_text()) == wanted
    other = Scenario("one journey", embedding="published", seed=789, init="linear", w_v="identity")
    (tmp_path / "other.json").write_text(scenario_json(other))
    playground.page.get_by_test_id("stPopoverBody").get_by_text("Open", exact=True).click()
    playground.page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(tmp_path / "other.json")
    playground.press("Open it")
    eventually(lambda: playground.labels("q"), ["one", "journey"])
    playground.shows("v", "journey", ["0.5500", "0.8700"])


def test_the_script_that_is_downloaded_is_the_one_on_screen(
    new_reader: Callable[..., Playground], tmp_path: Path
) -> None:
    playground = new_reader().open(text="</script><b>x</b> cat", causal="true")
    share(playground, "Code").says("Show me this in PyTorch")
    with playground.page.expect_download() as download:
        playground.press("Python script")
    wanted = pytorch_script(Scenario("</script><b>x</b> cat", embedding="published", causal=True))
    assert Path(download.value.path()).read_text(encoding="utf-8") == wanted
    assert "masked_fill" in playground.page.get_by_test_id("stCode").inner_text()


def test_a_figure_is_saved_as_svg_as_png_and_as_a_page_where_it_is_chosen(
    new_reader: Callable[..., Playground],
) -> None:
    playground = new_reader(color_scheme="dark").open(text="</script><b>x</b> cat", tokenizer="whitespace")
    assert playground.page.locator("iframe").count() == 0
    share(playground, "Pictures")
    figure = playground.page.get_by_test_id("stPopoverBody").frame_locator("iframe")
    for form, starts in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with playground.page.expect_download() as download:
            figure.get_by_role("button", name=f"Save as {form}").click()
        assert download.value.suggested_filename == f"attention_weights.{form.lower()}"
        saved = Path(download.value.path()).read_bytes()
        assert saved.startswith(starts)
        if form == "SVG":
            assert "</script><b>x</b>" in "".join(ElementTree.fromstring(saved).itertext())
    with playground.page.expect_download() as download:
        playground.press("This figure")
    assert download.value.suggested_filename == "attention_weights.html"
    assert b"Save as SVG" in Path(download.value.path()).read_bytes()


def test_a_report_is_taken_home(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader().open(seed=7, text="</script><b>x</b> cat", tokenizer="whitespace")
    share(playground, "Pictures")
    scenario = Scenario("</script><b>x</b> cat", embedding="published", seed=7, tokenizer="whitespace")
    with playground.page.expect_download() as download:
        playground.press("Report of everything")
    assert Path(download.value.path()).read_text(encoding="utf-8") == report(scenario, trace(scenario))
