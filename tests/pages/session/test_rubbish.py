"""Whatever is pasted or uploaded gives a sentence, and stays where it was typed, to be mended."""

from tests.pages.playground import Playground
from tests.pages.reader import Reader

RUBBISH = (
    ", ,", "abc", "[[1, 2], [3]]", '{"attention_weights": [[', "\x00\x01\u200b", "nan 1e999",
    "<script>alert(1)</script>", "9" * 5000, "|---|---|",
    "tensor([[nan, nan]])", "1;;2\n;", '"1\n2', "None None", "0x10 1_0", "\t\n \t",
)  # fmt: skip


def test_a_table_for_the_playground_is_refused_in_a_sentence() -> None:
    page = Playground()
    before = page.changes
    for rubbish in RUBBISH:
        page.paste("w_v", rubbish)
        assert [message for message in page.messages if message.startswith("The pasted table wasn't used.")], rubbish
        assert page.at.text_area(key="playground.paste").value == rubbish
        assert page.changes == before, rubbish


def test_a_table_to_check_is_refused_in_a_sentence() -> None:
    page = Reader("pages/check.py", check="check")
    for rubbish in RUBBISH:
        for name in ("q", "attention_weights"):
            page.at.text_area(key=f"check.table.{name}").set_value(rubbish)
            page.run()
            assert page.at.text_area(key=f"check.table.{name}").value == rubbish
        assert bool(page.at.error or page.at.info) == bool(rubbish.strip()), rubbish
