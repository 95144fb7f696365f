"""Trains the included model of stories, and judges it on unseen stories.

``python -m benchmarks.stories --seed 0`` writes what :data:`attnviz.features.language_models.inside.STORIES` is.
"""

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from attnviz.core.machine import one_thread
from attnviz.features.language_models.inside.available_models import ALONG, STORIES
from attnviz.features.language_models.inside.pretrained import transformers
from attnviz.features.stories.asked import JUDGED_BY, KINDS, PLACES, Read, Stories, asked_in, read, right
from attnviz.features.stories.grammar import World, stories

LAYERS, HEADS, WIDTH = 3, 4, 64
SPREAD = 0.15  # of the numbers of tokens' vectors in a new decoder
UNKNOWN = "<unk>"  # what a word becomes that isn't in its vocabulary
BATCH, RATE, STEPS, WARM_UP = 32, 4e-3, 3000, 60
REPEATS, BLOCKS, REPEATED = 500, (3, 17), 32  # steps before, of words at random that come again; how long that is
HELD_OUT = 500  # stories


@dataclass(frozen=True)
class Judged:
    """A model's results on stories: nats per word, and right answers.

    `entropy` is that of the stories' law, the least that any model can reach.
    """

    entropy: float
    cross_entropy: float
    right: dict[str, int]
    asked: dict[str, int]

    @property
    def shares(self) -> dict[str, float]:
        """How much of what each asks is right."""
        return {each: self.right[each] / n for each, n in self.asked.items()}


def new_decoder(n_entries: int, n_places: int, n_layers: int, n_heads: int, width: int, seed: int) -> Any:
    """Return an untrained decoder, whose numbers are drawn from a seed.

    Tokens' vectors have a spread of 0.15, since GPT-2's own 0.02 makes a small model slow to learn; all else is as
    nn.Linear draws it. Places begin as waves of the same length: one rotation leads from each to the next.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.5, for the waves.
    """
    package, generator = transformers(), torch.Generator().manual_seed(seed)
    config = package.GPT2Config(
        vocab_size=n_entries, n_positions=n_places, n_embd=width, n_layer=n_layers, n_head=n_heads, resid_pdrop=0.0,
        embd_pdrop=0.0, attn_pdrop=0.0, activation_function="gelu_pytorch_tanh", bos_token_id=0, eos_token_id=0,
        attn_implementation="eager",
    )  # fmt: skip
    with torch.device("meta"):  # for it would draw from torch's own generator, which is everybody's
        model = package.GPT2LMHeadModel(config)
    model = model.to_empty(device="cpu")
    for name, parameter in model.named_parameters():
        if "wte" in name:
            torch.nn.init.normal_(parameter, 0.0, SPREAD, generator=generator)
        elif "wpe" in name:
            angles = torch.arange(n_places)[:, None] * 100.0 ** -(torch.arange(width // 2) / (width // 2))
            parameter.data = torch.cat([angles.sin(), angles.cos()], dim=1) * SPREAD * 2**0.5
        elif parameter.dim() == 2:
            bound = parameter.shape[0] ** -0.5
            torch.nn.init.uniform_(parameter, -bound, bound, generator=generator)
        else:
            torch.nn.init.constant_(parameter, float("ln_" in name and name.endswith("weight")))
    model.tie_weights()
    return model


def tokenizer_of(vocabulary: Sequence[str], n_places: int) -> Any:
    """Return a tokenizer of these lower-case words; the first starts every text."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    begin = vocabulary[0]
    ids = {word: i for i, word in enumerate((*vocabulary, UNKNOWN))}
    cutter = Tokenizer(models.WordLevel(ids, unk_token=UNKNOWN))
    cutter.normalizer = normalizers.Lowercase()
    cutter.pre_tokenizer = pre_tokenizers.Whitespace()
    cutter.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A", pair=f"{begin} $A $B", special_tokens=[(begin, 0)]
    )
    return transformers().PreTrainedTokenizerFast(
        tokenizer_object=cutter, bos_token=begin, eos_token=begin, unk_token=UNKNOWN, model_max_length=n_places
    )


def repeats(generator: torch.Generator, world: World) -> Read:
    """Return repeated blocks of random words; only repetitions count."""
    orders = torch.rand(BATCH, len(world.vocabulary) - 1, generator=generator).argsort(dim=1) + 1
    lengths = torch.randint(*BLOCKS, (BATCH, 1), generator=generator)
    blocks = orders.gather(1, torch.arange(REPEATED - 1) % lengths)
    return Read(F.pad(blocks, (1, 0)), torch.arange(REPEATED) > lengths + 1)


@one_thread()
def trained(seed: int, world: World, steps: int = STEPS, before: int = REPEATS) -> Any:
    """Return a decoder trained on stories that a seed draws.

    Some steps `before`, it learns from blocks of words at random that come again, so that a head finds what followed a
    word before: in stories alone, a small part of all words teaches that, and none was found in 1,100 steps.
    """
    generator = torch.Generator().manual_seed(seed)
    model = new_decoder(len(world.vocabulary) + 1, PLACES, LAYERS, HEADS, WIDTH, seed).train()
    model.set_attn_implementation("sdpa")  # the same, faster
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.0)
    total = before + steps
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=total, pct_start=min(0.5, WARM_UP / total))
    for step in range(total):
        told = step >= before
        ids, counted = read(stories(BATCH, generator, world, PLACES), world) if told else repeats(generator, world)
        logits = model(ids[:, :-1], use_cache=False).logits
        loss = F.cross_entropy(logits[counted[:, 1:]], ids[:, 1:][counted[:, 1:]])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        rate.step()
        if step % 100 == 99:
            print(f"step {step + 1} of {total}: loss {loss.item():.4f}", flush=True)
    model.set_attn_implementation("eager")
    return model.eval().requires_grad_(False)


def _pieces(told: Stories) -> Iterator[Stories]:
    """Yield stories by the hundred, whose attention weights take 0.1 GB."""
    yield from (told[at : at + 100] for at in range(0, len(told), 100))


def judged(model: Any, told: Stories, world: World) -> Judged:
    """Return what a model is worth on stories."""
    words = {word: i for i, word in enumerate(world.vocabulary)}
    entropy, cross, guesses = 0.0, 0.0, list[list[int]]()
    for piece in _pieces(told):
        expects = model(read(piece, world).ids[:, :-1]).logits.log_softmax(-1).double()
        guesses += expects.argmax(-1).tolist()
        for row, (_, points) in enumerate(piece):
            for at, point in enumerate(points[1:]):
                known = [words[each] for each in point.law]
                entropy += point.entropy
                cross -= float(expects[row, at, known] @ torch.tensor([*point.law.values()], dtype=torch.float64))
    n, asked = sum(len(own) - 1 for own, _ in told), asked_in(told, world)
    return Judged(entropy / n, cross / n, right(guesses, asked), {each: len(all_of) for each, all_of in asked.items()})


def reading(model: Any, told: Stories, world: World) -> dict[str, Tensor]:
    """Return how much heads ``(layers, heads)`` read each question's answer, on average."""
    found = {each: list[Tensor]() for each in KINDS}
    for piece in _pieces(told):
        weights = torch.stack(model(read(piece, world).ids[:, :-1], output_attentions=True).attentions)
        for each, all_of in asked_in(piece, world).items():
            found[each] += (weights[:, one.story, :, one.at, list(one.told_by)].sum(-1) for one in all_of)
    return {each: torch.stack(seen).mean(0) for each, seen in found.items()}


@contextmanager
def without(model: Any, *places: tuple[int, int]) -> Iterator[None]:
    """Switch off some heads of a model within the context."""
    weights = [block.attn.c_proj.weight for block in model.transformer.h]
    before = [weight.clone() for weight in weights]
    for layer, head in places:
        weights[layer][head * WIDTH // HEADS : (head + 1) * WIDTH // HEADS] = 0
    try:
        yield
    finally:
        for weight, old in zip(weights, before, strict=True):
            weight[:] = old


class Named(NamedTuple):
    """Heads, their mean attention to the answer, and accuracy without them."""

    heads: tuple[tuple[int, int], ...]
    shares: tuple[float, ...]
    right_without: float


def kept(model: Any, told: Stories, world: World, *heads: tuple[int, int]) -> dict[str, float]:
    """Return a model's accuracy without some heads, by what is asked."""
    asked, guesses = asked_in(told, world), list[list[int]]()
    with without(model, *heads):
        for piece in _pieces(told):
            guesses += model(read(piece, world).ids[:, :-1]).logits.argmax(-1).tolist()
    return {each: n / len(asked[each]) for each, n in right(guesses, asked).items()}


def named(model: Any, told: Stories, world: World) -> dict[str, dict[str, Named]]:
    """Return the heads that matter for each thing that is asked.

    They read its answer most, are missed most, or read it at least half as much as the first.
    """
    shares = reading(model, told, world)
    places = list(product(range(LAYERS), range(HEADS)))

    lost = {place: kept(model, told, world, place) for place in places}
    found = {}
    for each in KINDS:
        share = {place: float(shares[each][place]) for place in places}
        most, missed = max(places, key=share.__getitem__), min(places, key=lambda at: lost[at][each])
        readers = tuple(place for place in places if share[place] >= share[most] / 2)
        found[each] = {
            does: Named(heads, tuple(share[place] for place in heads), without_them)
            for does, heads, without_them in (
                ("reads it most", (most,), lost[most][each]),
                ("is missed most", (missed,), lost[missed][each]),
                ("read it at least half as much, together", readers, kept(model, told, world, *readers)[each]),
            )
        }
    return found


def card_of(settings: dict[str, Any], model: Any, judged: Judged, named: Mapping[str, Mapping[str, Named]]) -> str:
    """Return the model card: training settings, results and heads."""
    config, shares = model.config, judged.shares
    numbers = sum(each.numel() for each in model.parameters())
    right = "\n".join(
        f"| {each}: right | {judged.right[each]:,} of {n:,}, {shares[each]:.2%} |" for each, n in judged.asked.items()
    )
    heads = "\n".join(
        f"| {each} | {does} | {', '.join(f'{layer}.{head}' for layer, head in by.heads)}"
        f" | {', '.join(f'{share:.2f}' for share in by.shares)} | {by.right_without:.2%} |"
        for each, all_of in named.items()
        for does, by in all_of.items()
    )
    return (Path(__file__).parent / "story_card.md").read_text(encoding="utf-8").format(
        layers=config.n_layer, heads=config.n_head, width=config.n_embd, places=config.n_positions,
        entries=config.vocab_size, numbers=numbers, bytes=4 * numbers, entropy=judged.entropy,
        cross=judged.cross_entropy, excess=judged.cross_entropy / judged.entropy - 1, right=right, named=heads,
        **settings,
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and judge the model, and save it with its card."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stories", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of its numbers and its stories (default: 0)")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"(default: {STEPS})")
    parser.add_argument("--folder", type=Path, default=ALONG[STORIES].folder(STORIES), help="where it's kept")
    given = parser.parse_args(arguments)
    world, since = World(), time.process_time()
    model = trained(given.seed, world, given.steps)
    seconds = time.process_time() - since
    for each in (model, tokenizer_of(world.vocabulary, PLACES)):
        each.save_pretrained(given.folder)
    another = torch.Generator().manual_seed(given.seed + JUDGED_BY)
    held_out = stories(HELD_OUT, another, world, PLACES, held_out=True)
    settings = {"seed": given.seed, "steps": given.steps, "repeats": REPEATS, "batch": BATCH, "rate": RATE,
                "minutes": seconds / 60, "held_out": HELD_OUT}  # fmt: skip
    card = card_of(settings, model, judged(model, held_out, world), named(model, held_out, world))
    (given.folder / "README.md").write_text(card, encoding="utf-8")
    print(card)


if __name__ == "__main__":
    main()
