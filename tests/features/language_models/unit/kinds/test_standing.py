"""Which head stands in for one that is switched off: read from two sums, and held to PyTorch's own."""

import pytest
import torch

from attnviz import look_into
from attnviz.features.language_models.inside.edits import ModelEdit
from attnviz.features.language_models.inside.logit_attribution import Part, Why, why
from attnviz.features.language_models.inside.standing import stood_in

STORY = "mia draws birds . leo sees stars . here is the cat pip . today leo sees stars because"


@pytest.mark.parametrize("off", [[(0, 0)], [(1, 2)], [(0, 1), (2, 3)]])
def test_what_each_head_gives_is_what_its_contexts_add_to_the_score(off: list[tuple[int, int]]) -> None:
    plain = look_into("stories", text=STORY)
    changed = look_into("stories", text=STORY, edits=[str(ModelEdit(*place, "off")) for place in off])
    token = int(plain.result.logits[0, -1].argmax())
    found = stood_in(why(plain, token), why(changed, token), off)
    assert found.score == pytest.approx(float(plain.result.logits[0, -1, token]), abs=1e-4)
    assert found.score_off == pytest.approx(float(changed.result.logits[0, -1, token]), abs=1e-4)
    for view, told in ((plain, "before"), (changed, "after")):
        gives = {place: given(view, token, *place) for place in view.heads}
        if told == "before":
            lost, before = sum(gives[place] for place in off), gives
        else:
            gains = {place: gives[place] - before[place] for place in gives if place not in off}
            assert all(gives[place] == 0 for place in off)
    assert found.lost == pytest.approx(lost, abs=1e-4)
    assert (found.layer, found.head) == max(gains, key=gains.__getitem__)
    assert found.layer is not None
    assert found.head is not None
    assert found.before == pytest.approx(before[found.layer, found.head], abs=1e-4)
    assert found.after - found.before == pytest.approx(max(gains.values()), abs=2e-4)


def given(view: object, token: int, layer: int, head: int) -> float:
    """What a head adds to a score: the score falls by it where the last norm is held and its output is taken away."""
    model = view.model  # type: ignore[attr-defined]
    states = []
    norm = next(module for name, module in model.named_modules() if name.endswith(("ln_f", "model.norm")))
    hook = norm.register_forward_hook(lambda _, x, made: states.append((x[0][0, -1].double(), made[0, -1].double())))
    with torch.no_grad():
        look_into(model, view.tokenizer, view.text, edits=view.edits)  # type: ignore[attr-defined]
    hook.remove()
    into, _ = states[-1]
    row = model.get_output_embeddings().weight[token].detach().double()
    part = view.layers[layer].output(head)["output"][-1].double()  # type: ignore[attr-defined]
    gain, n = norm.weight.detach().double(), len(into)
    if isinstance(norm, torch.nn.LayerNorm):
        scale = (into.var(unbiased=False) + norm.eps).sqrt()
        return float(((part - part.mean()) / scale * gain) @ row)
    return float((part / (into.square().sum() / n + norm.variance_epsilon).sqrt() * gain) @ row)


def test_where_no_head_gives_more_none_is_named() -> None:
    before = Why(3.0, (Part("head", 1.0, 0, 0), Part("head", 2.0, 0, 1), Part("feed_forward", 0.0, 0)), {})
    after = Why(2.0, (Part("head", 0.0, 0, 0), Part("head", 1.5, 0, 1), Part("feed_forward", 0.5, 0)), {})
    found = stood_in(before, after, [(0, 0)])
    assert (found.layer, found.head) == (None, None)
    assert (found.lost, found.fed) == (1.0, 0.5)
