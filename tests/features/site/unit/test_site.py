"""The static site: its files, its links, its sizes, and that its numbers are torch's."""

import html
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import torch

from attnviz.commands.main import main
from attnviz.core.scenario import traced
from attnviz.features.history.steps import STEPS as HISTORY
from attnviz.features.language_models.inside import look_into
from attnviz.features.language_models.inside.writing import Sampling
from attnviz.features.questions.questions import QUESTIONS
from attnviz.features.site import recorded, whole
from attnviz.features.site.board_pages import Pages
from attnviz.features.site.documents import BOARD, add_documents, documents, linked
from attnviz.features.site.own_words import FEWEST, MOST, app_query, board_of, in_n, set_up_name, set_ups, words_data
from attnviz.features.site.recorded import BEGINNING, SENTENCE, moments, training, training_data, written_data
from attnviz.features.site.shared import Site
from attnviz.features.site.story import MOST_WORDS, STEPS, scenarios, story_data, traces
from attnviz.link.set_up import scenario_from_query
from attnviz.published import starting_points
from attnviz.published.by_class import by_class
from attnviz.words import say
from attnviz.words.numbers import percent, written
from tests.features.site.built import ADDRESS, APP, SOURCE, built, first_view, pages, sent

FIRST_VIEW, QUESTIONS_SENT = 200_000, 260_000  # bytes, compressed
ROOT = Path(__file__).parents[4]
OF_24 = 24  # questions, for which the latter was measured


def test_the_command_writes_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[dict[str, str]] = []

    def files(**how: str) -> dict[str, bytes]:
        asked.append(how)
        return {"a.html": b"1", "b/c.svg": b"2"}

    monkeypatch.setattr("attnviz.features.site.commands.site_files", files)
    assert main(["site", str(tmp_path / "here"), "--app", APP]) == 0
    assert (tmp_path / "here/b/c.svg").read_bytes() == b"2"
    assert asked == [{"app": APP, "address": "", "source": ""}]
    assert "2 files" in capsys.readouterr().out
    for address in ("javascript:alert(1)", "https://site.example.org/?a=1&b=2"):
        assert main(["site", str(tmp_path), "--app", address]) == 2
        assert "expected an address that begins with https://" in capsys.readouterr().err


def test_the_command_leaves_other_peoples_files_alone_and_takes_its_own_old_ones_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = {"index.html": b"1", "old-1.js": b"2"}
    monkeypatch.setattr("attnviz.features.site.commands.site_files", lambda **_: made)
    other = tmp_path / "other"
    other.mkdir()
    (other / "index.html").write_text("mine")
    assert main(["site", str(other)]) == 2
    assert "expected an empty folder" in capsys.readouterr().err
    assert {file.name: file.read_text() for file in other.iterdir()} == {"index.html": "mine"}
    assert main(["site", str(other / "index.html")]) == 2
    assert "expected a folder to write into" in capsys.readouterr().err
    own = tmp_path / "own"
    assert main(["site", str(own)]) == 0
    (own / "CNAME").write_text("site.example.org")  # what its owner puts beside it stays
    made = {"index.html": b"3", "new-2.js": b"4"}
    assert main(["site", str(own)]) == 0
    assert {file.name for file in own.iterdir()} == {"index.html", "new-2.js", "files.txt", "CNAME"}
    assert (own / "index.html").read_bytes() == b"3"


def test_the_page_for_what_is_missing_is_whole_in_any_folder() -> None:
    missing = pages()["404.html"]
    assert all(to.startswith((ADDRESS, "#", "data:", APP)) for to in (*missing.loads, *missing.links))


def test_every_link_and_every_file_that_is_loaded_is_there() -> None:
    for name, page in pages().items():
        for to in (*page.loads, *page.links):
            to = to.removeprefix(ADDRESS)
            if to.startswith(SOURCE):
                assert (ROOT / to.removeprefix(f"{SOURCE}/")).exists(), f"{name} leads to {to}"
                continue
            if to.startswith(("data:", "https://arxiv.org/", APP)) or (name.startswith("docs-") and "://" in to):
                continue
            path, _, fragment = to.partition("#")
            assert not urlsplit(path).netloc, f"{name} leads to {to}"
            assert not path or path in built(), f"{name} leads to {to}"
            assert not fragment or fragment in pages()[path or name].ids, f"{name} leads to {to}"


def test_nothing_comes_from_another_origin() -> None:
    for name, page in pages().items():
        rule = page.metas["Content-Security-Policy"]
        assert re.findall(r"[\w-]+-src [^;]*", rule) == [
            "default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "font-src data:",
            "img-src 'self' data:",
        ], name  # fmt: skip
        assert [each for each in page.loads if urlsplit(each).netloc and not each.startswith(ADDRESS)] == []
    for name, text in built().items():
        if name.endswith((".css", ".js")):
            assert not re.findall(rb"url\((?![\"']?data:)", text), name


def test_each_page_has_its_title_its_words_and_no_script_of_its_own() -> None:
    titles: dict[str, list[str]] = {}
    for name, text in built().items():
        if not name.endswith(".html"):
            continue
        page, read = pages()[name], text.decode()
        assert page.metas["description"]
        assert page.metas["og:title"]
        assert '<html lang="en">' in read
        assert not re.findall(r"<script(?![^>]*(?:src=|application/json))", read), name
        assert not name.startswith("board-") or "bare" in read
        titles.setdefault(re.search(r"<title>(.*)</title>", read)[1], []).append(name)  # type: ignore[index]
    assert all(
        len({name.removeprefix("board-").removeprefix("example-") for name in names}) == 1 for names in titles.values()
    )
    assert pages()["index.html"].metas["og:image"] == f"{ADDRESS}preview.png"
    assert built()["preview.png"][:4] == b"\x89PNG"


def test_there_is_a_page_for_each_question_step_and_example() -> None:
    names = {*built()}
    assert {f"question-{each.slug}.html" for each in QUESTIONS} <= names
    assert {f"history-{each.name}.html" for each in HISTORY} <= names
    assert {f"{kind}-{each}.html" for each in starting_points() for kind in ("example", "board")} <= names
    listed = re.findall(rb"<loc>(.*)</loc>", built()["sitemap.xml"])
    assert b"https://site.example.org/attnviz/" in listed
    assert len(listed) == len(
        [name for name in names if name.endswith(".html") and not name.startswith(("board-", "404"))]
    )


def test_without_scripts_there_are_pictures() -> None:
    assert say("site.no_script.story") in html.unescape(_story())
    pictures = [each for each in pages()["index.html"].loads if each.startswith("pictures/")]
    assert len(pictures) == len([step for step in STEPS if step.base])
    assert all(built()[each].startswith(b"<svg") for each in pictures)


def test_a_first_view_and_all_questions_are_small() -> None:
    assert sent(first_view("index.html")) <= FIRST_VIEW
    questions = {f"question-{each.slug}.html" for each in QUESTIONS}
    shared = first_view(min(questions)) - questions
    assert sent(shared) + sent(questions) * OF_24 / len(questions) <= QUESTIONS_SENT


@pytest.mark.slow
def test_built_again_it_has_the_same_bytes() -> None:
    first = built()
    for kept in (training, recorded.trace_at, traces):
        kept.cache_clear()
    again = whole.site_files(app=APP, address=ADDRESS, source=SOURCE)
    assert [name for name in first if first[name] != again.get(name)] == []
    assert first.keys() == again.keys()


def test_a_step_has_few_words_and_one_thing_to_do() -> None:
    assert len(STEPS) == 11
    for step in STEPS:
        places = dict.fromkeys((*step.numbers, "count", "most", "reader", "subject"), "1")
        assert len(say(f"site.story.{step.name}.text", **places).split()) <= MOST_WORDS, step.name
        assert say(f"site.story.{step.name}.ask", **places), step.name


def test_numbers_in_the_prose_are_torchs() -> None:
    shown = re.findall(r'<section class="step" id="(\w+)"|<b data-number="([^"]*)"[^>]*>([^<]*)</b>', _story())
    step, found = "", 0
    for section, at, text in shown:
        step = section or step
        if not at:
            continue
        base = next(each for each in STEPS if each.name == step).base
        matrix, row, column, *share = at.split(",")
        value = float(traced(scenarios()[base]).for_head(0)[matrix][int(row), int(column)])
        assert text == (percent(value) if share else written(value, 2))
        found += 1
    assert found == sum(len(step.numbers) for step in STEPS)


def _story() -> str:
    return built()["index.html"].decode()


def test_boards_of_the_story_are_those_of_their_set_ups() -> None:
    data = story_data()
    for name, scenario in scenarios().items():
        sent_values = data["bases"][name]["matrices"]["attention_weights"]["values"]
        expected = traced(scenario).for_head(0).attention_weights.flatten()
        torch.testing.assert_close(torch.tensor(sent_values, dtype=torch.float32), expected, rtol=0, atol=0)
    assert data["boards"]["shares"]["before"] == "scores"


def test_the_second_head_made_by_hand_sends_nouns_to_verbs() -> None:
    heads = traced(scenarios()["heads"]).heads
    tokens = heads[1].tokens
    for noun in ("cat", "mouse"):
        assert tokens[int(heads[1].attention_weights[tokens.index(noun)].argmax())] == "chased"
    torch.testing.assert_close(heads[0].attention_weights, traced(scenarios()["cat"]).attention_weights)


def test_recorded_moments_are_those_of_the_training() -> None:
    data = training_data()
    assert data["steps"] == moments()
    by_step = {each.step: each.parameters for each in training().moments}
    for step, numbers in zip(data["steps"], data["numbers"], strict=True):
        own = torch.cat([by_step[step][name].flatten() for name, *_ in data["shapes"]])
        torch.testing.assert_close(torch.tensor(numbers), own, rtol=0, atol=1e-4)
    last = training().trace(data["steps"][-1], SENTENCE).for_head(0)
    share = float(last.attention_weights[data["reader"], data["subject"]])
    assert share == pytest.approx(data["reads"][-1], abs=1e-4)
    assert (last.tokens[data["reader"]], last.tokens[data["subject"]]) == ("key", "cats")
    assert data["reads"][0] < 0.5 < 0.9 < share, "noise turns into a head"


def test_the_tree_of_next_words_has_the_models_probabilities() -> None:
    tree, path, text = written_data()["tree"], [], BEGINNING
    for _ in range(2):
        chances = Sampling().chances(look_into("stories", text=text)).probabilities
        assert [each[1] for each in tree] == pytest.approx(chances.topk(len(tree)).values.tolist(), abs=1e-4)
        word, _, tree = tree[0]
        path.append(word)
        text += f" {word}"
    assert path[0] == "anna"


def test_the_way_to_the_app_shows_the_sentence_by_kinds_of_words() -> None:
    link = next(each for each in pages()["index.html"].links if each.startswith(f"{APP}/?"))
    scenario, wrong = scenario_from_query(urlsplit(link).query)
    assert (scenario, wrong) == (by_class(say("site.story.own.example")), [])
    assert dict(parse_qsl(app_query("a & b")))["text"] == "a & b"


def test_each_document_of_the_repository_is_a_page() -> None:
    written_here = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "deploy/README.md"]
    assert {each.relative_to(ROOT).as_posix() for each in written_here} == documents().keys()
    for document in documents().values():
        page = built()[document.page].decode()
        assert f"<title>{html.escape(document.title)} – " in page
        assert not BOARD.search(page), f"a board of {document.path} isn't drawn"
        assert page.count('class="drawn"') == len(BOARD.findall((ROOT / document.path).read_text()))
        for token in document.tokens:  # anything else in angle brackets would be lost
            for each in (token, *(token.children or ())):
                if each.type in ("html_block", "html_inline"):
                    assert re.match(r"</?(picture|source|img)\b|<!--", each.content.strip()), document.path


def test_documents_lead_to_pages_to_the_repository_or_nowhere() -> None:
    guide = documents()["docs/GUIDE.md"]
    bare, whole_site = Site(), Site(source=SOURCE)
    assert linked(bare, guide, "../SECURITY.md#x") == "docs-security.html#x"
    assert linked(bare, guide, "#learn") == "#learn"
    assert linked(bare, guide, "../LICENSE") is None
    assert linked(whole_site, guide, "../LICENSE") == f"{SOURCE}/LICENSE"
    texts: dict[str, str] = {}
    for site in (bare, whole_site, bare):
        pages_there = Pages(site)
        add_documents(site, site.shared(), pages_there)
        text = "".join(each.body for each in pages_there.pages)
        assert text.count("<a ") == text.count("</a>")
        assert not [to for to in re.findall(r'<a href="([^"]*)"', text) if to.startswith("..")]
        assert texts.setdefault(site.source, text) == text, "what was written first changes nothing"
    outside = [to for to in re.findall(r'<a href="([^"]*)"', texts[SOURCE]) if to.startswith(SOURCE)]
    assert texts[""].count("<span>") == len(outside) > 3, "what only the repository has is no link without it"


def test_boards_of_a_typed_sentence_are_those_of_each_length() -> None:
    def of_length(value: Any, n: int) -> Any:
        if isinstance(value, list):
            return [of_length(each, n) for each in value]
        if isinstance(value, dict) and "per_n" in value:
            slope, offset = value["per_n"]
            return slope * n + offset
        return {name: of_length(each, n) for name, each in value.items()} if isinstance(value, dict) else value

    sent_words = words_data()
    for at, set_up in enumerate(set_ups()):
        n = FEWEST + at % (MOST - FEWEST)
        sent_board = sent_words["boards"][set_up_name(set_up)]["board"]
        board = sent_words["usual"] | sent_board
        board["stages"] = [of_length(sent_words["stages"][each], n) for each in sent_board["stages"]]
        expected = board_of(n, set_up)
        by_sentence = {"limits", "matrices"}  # these hold numbers
        assert {name: each for name, each in board.items() if name not in by_sentence} == {
            name: each for name, each in expected.items() if name not in by_sentence
        }
        assert {**board["matrices"]}.keys() == expected["matrices"].keys()
    with pytest.raises(ValueError, match="expected numbers"):
        in_n({"word": "of 12"}, {"word": "of 11"})


def test_data_of_pages_are_json_that_ends_no_script() -> None:
    for name in pages():
        for text in re.findall(r'<script type="application/json">(.*?)</script>', built()[name].decode(), re.DOTALL):
            assert json.loads(text)
