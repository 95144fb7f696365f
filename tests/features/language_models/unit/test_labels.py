"""Tokens bear what they are of the text, whichever way a tokenizer writes bytes and blanks."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.tokens import visible
from attnviz.features.language_models.inside.pieces import cut_of, pieces, text_of, with_tokens

TEXT = "東京 the 🤦🏽‍♀️ cat"
LEARNED = ["the cat sat on the mat"] * 5


def byte_level() -> Any:
    """GPT-2's kind: bytes have letters as names."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator([*LEARNED, "🤦 🤦 🤦"], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made)


def metaspace() -> Any:
    """Llama's kind: ▁ is a blank, and what has no token falls back to bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    bytes_ = [f"<0x{each:02X}>" for each in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=["<unk>", *bytes_], show_progress=False)
    made.train_from_iterator(LEARNED, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>")


KINDS = {"byte-level": byte_level(), "metaspace": metaspace()}


def labels(tokenizer: Any, text: str) -> tuple[str, ...]:
    return pieces(tokenizer, cut_of(tokenizer, text)["input_ids"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_of_a_character_says_of_which(kind: str) -> None:
    found = labels(KINDS[kind], TEXT)
    for character in "東京":
        parts = [f"{character}({at}/3)" for at in (1, 2, 3)]
        first = found.index(parts[0])
        assert list(found[first : first + 3]) == parts
    assert not set("æĿ±▁ðŁ\ufffd") & set("".join(found))
    assert any(each.strip() == "the" for each in found)
    assert any(each.startswith("🤦(1/") for each in found) or "🤦" in {each.strip() for each in found}


@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_blank_is_a_blank(kind: str) -> None:
    found = labels(KINDS[kind], "the  東")
    assert " " in found
    assert "␣" in [visible(each) for each in found]


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip))
@settings(max_examples=60, deadline=None)
def test_parts_are_numbered_whole_and_lie_where_their_characters_do(kind: str, text: str) -> None:
    tokenizer = KINDS[kind]
    cut = cut_of(tokenizer, text)
    found = pieces(tokenizer, cut["input_ids"])
    assert len(found) == len(cut["input_ids"])
    at = 0
    while at < len(found):
        whole, _, count = found[at].rpartition("(1/")
        if count and count[:-1].isdigit() and int(count[:-1]) > 1:
            n = int(count[:-1])
            assert found[at : at + n] == tuple(f"{whole}({each}/{n})" for each in range(1, n + 1))
            spans = cut["offset_mapping"][at : at + n]
            assert whole in text[spans[0][0] : spans[-1][1]]
            at += n
        else:
            at += 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_character_that_is_written_in_parts_is_whole_in_the_end(kind: str) -> None:
    tokenizer = KINDS[kind]
    cut = cut_of(tokenizer, "the cat")
    added = [each for each in cut_of(tokenizer, "東京")["input_ids"] if text_of(tokenizer, each).startswith("<0x")]
    assert [text_of(tokenizer, each) for each in added] == [f"<0x{each:02X}>" for each in "東京".encode()]
    half, _ = with_tokens(tokenizer, "the cat", cut, added[:2])
    assert half.startswith("the cat")
    assert pieces(tokenizer, added[:2]) == ("<0xE6>", "<0x9D>")
    text, longer = with_tokens(tokenizer, "the cat", cut, added)
    assert text == "the cat東京"
    assert [text[start:end] for start, end in longer["offset_mapping"]][-1] == "京"
