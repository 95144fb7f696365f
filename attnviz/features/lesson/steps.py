"""Self-attention in nine steps, told with the current scenario's numbers."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import CONTEXTS, in_view
from attnviz.core.rules import TimesRoot, owner_of
from attnviz.core.scenario import Scenario
from attnviz.core.stages import formula_of
from attnviz.core.tokens import token_labels
from attnviz.core.what_if import CUT, PROJECTIONS, SCORES, SOFTMAX, SWITCHES, TYPED
from attnviz.explanation.masking import cut_by_view, key_of, reads_others
from attnviz.explanation.numbers_from import chosen_in_words, numbers_in_words, projections_in_words
from attnviz.explanation.sentences import AnyStatement, Compared, MostRead, Numbers, said
from attnviz.words import DeferredText, listed, plural, say
from attnviz.words.numbers import significant, written

Cell = tuple[str, int, int]


@dataclass(frozen=True)
class Step:
    """One step of the lesson: its matrices, and the cell it lights.

    `tells` returns two or three sentences, given the trace, the query's position and the decimals to write; `likened`
    is the name of an analogy, which is shown apart from them. A step about the W's (`numbers`), or about what attention
    finds (`finding`), also says where the W's numbers are from.

    `new` are the matrices that this step adds (one, or three of a kind). `lit` returns the cell to light, given the
    trace and the query's position; with `one_cell`, its matrix has no other number yet. `plays` names the matrix whose
    part of "Play this row" belongs to the step; it's blank if there is none.
    """

    name: str
    shows: tuple[str, ...]
    tells: Callable[[AttentionTrace, int, int], list[AnyStatement]]
    new: tuple[str, ...] = ()
    lit: Callable[[AttentionTrace, int], Cell] | None = None
    one_cell: bool = False
    plays: str = ""
    likened: str = ""
    numbers: bool = False
    finding: bool = False

    title = DeferredText("lesson.title.{its.name}")

    @property
    def analogy(self) -> str:
        """The step's analogy as a sentence, or blank."""
        return self.likened and say(f"lesson.analogy.{self.likened}")

    @property
    def what_if(self) -> bool:
        """Whether a switch of What if changes what this step adds."""
        changed = {switch.stage for switch in SWITCHES.values()}
        return bool(changed & {*self.new})

    def says(self, trace: AttentionTrace, query: int, digits: int) -> list[str]:
        """Return the step's sentences with the numbers of a trace."""
        return [each.text(trace, digits) for each in self.tells(trace, query, digits)]


def _label(trace: AttentionTrace, position: int) -> str:
    return say("lesson.named", token=token_labels(trace.tokens, 40)[position])


def _row_label(trace: AttentionTrace, row: int) -> str:
    """Return a row's or key's label: its token, or a token's piece."""
    if not cut_by_view(trace):
        return _label(trace, row)
    token = token_labels(trace.tokens, 40)[owner_of(trace.stages["scores"], row, len(trace.tokens))]
    return say("lesson.piece", row=row, token=token)


def _most_read(trace: AttentionTrace, query: int) -> int:
    row = trace.attention_weights[query]
    return int(torch.nan_to_num(row, nan=-1.0).argmax())


def _most_read_other(trace: AttentionTrace, query: int) -> int:
    """Return the token that a query reads most, itself aside if possible."""
    row = torch.nan_to_num(trace.attention_weights[query], nan=-1.0)
    return int(row.index_fill(0, torch.tensor([query], device=row.device), -2.0).argmax())


def _reads_itself_alone(trace: AttentionTrace, query: int) -> bool:
    """Whether a query gets exactly its own value."""
    readable = ~trace.is_hidden[query]
    return bool(_hides(trace) and readable[query]) and int(readable.sum()) == 1 and _shares_all(trace)


def _hides(trace: AttentionTrace) -> bool:
    """Whether masked tokens aren't read; a score masked to 0 still is."""
    return not trace.mask_use.times_scores


def _shares_all(trace: AttentionTrace) -> bool:
    """Whether each row sums to 1, which some masks prevent."""
    return not trace.mask_use.lossy


def _by_mask(trace: AttentionTrace) -> str:
    """Return the ending of sentence keys that depend on the mask."""
    if not _hides(trace) or not trace.is_hidden.any():
        return ""
    return "_masked" if trace.causal else "_hidden"


def _is_linear(trace: AttentionTrace) -> bool:
    """Whether there is a feature map in place of the softmax."""
    return "phi_q" in trace.stages


def _tokens(trace: AttentionTrace, query: int, digits: int) -> list[AnyStatement]:
    n_tokens = len(trace.tokens)
    if n_tokens == 1:
        return [said("lesson.tokens.alone", token=_label(trace, query))]
    tokens = plural(n_tokens, "token")
    if cut_by_view(trace):
        return [
            said("lesson.tokens.cut_by_view", tokens=tokens),
            said("lesson.tokens.follow", token=_label(trace, query)),
        ]
    cut = said("lesson.tokens.cut" + _by_mask(trace), tokens=tokens, count=n_tokens)
    return [cut, said("lesson.tokens.follow", token=_label(trace, query))]


def _embeddings(trace: AttentionTrace, query: int, digits: int) -> list[AnyStatement]:
    d_in = trace.x.shape[-1]
    row, layer = Numbers("x", query), trace.stages["x"].layer
    if layer:
        places = {"numbers": plural(d_in, "number"), "token": _label(trace, query), "row": row}
        return [said("lesson.embeddings.row_of_layer", layer=layer - 1, **places), said("lesson.embeddings.read")]
    key = "lesson.embeddings.row" if trace.p is None else "lesson.embeddings.row_of_sum"
    again = [at for at, token in enumerate(trace.tokens)
             if at != query and token == trace.tokens[query] and trace.x[at].equal(trace.x[query])]  # fmt: skip
    return [
        said(key, numbers=plural(d_in, "number"), d_in=d_in, token=_label(trace, query), row=row),
        *(
            [said("lesson.embeddings.factor")]
            if TimesRoot.name in {stage.kind for stage in trace.stages.values()}
            else []
        ),
        said("lesson.embeddings.again", other=_label(trace, again[0])) if again else said("lesson.embeddings.alone"),
    ]


def _projections(trace: AttentionTrace, query: int, digits: int) -> list[AnyStatement]:
    q, k, v = (Numbers(name, query) for name in "qkv")
    return [
        said(
            "lesson.projections.vectors",
            x=trace.stages[trace.stages["q"].sources[0]].symbol,
            token=_label(trace, query),
            q=q,
            k=k,
            v=v,
        ),
        said("lesson.projections.trained" if trace.b_q is None else "lesson.projections.trained_bias"),
    ]


def _one_score(trace: AttentionTrace, query: int, digits: int) -> list[AnyStatement]:
    other, d_k = _most_read_other(trace, query), trace.q.shape[-1]
    turned = "turned" if "q_rotated" in trace.stages else "product" if d_k == 1 else "products"
    how = say(f"lesson.one_score.{turned}", d_k=d_k)
    token, score = _row_label(trace, query), Numbers("scores", query, other)
    match = (
        said("lesson.one_score.match_itself", token=token, how=how, score=score)
        if other == query
        else said("lesson.one_score.match", token=token, other=_row_label(trace, other), how=how, score=score)
    )
    return [match, said("lesson.one_score.linear" if _is_linear(trace) else "lesson.one_score.large")]


def _all_scores(trace: AttentionTrace, query: int, digits: int) -> list[AnyStatement]:
    token, other = _row_label(trace, query), _most_read_other(trace, query)
    key = "lesson.all_scores.row_of_piece" if cut_by_view(trace) else "lesson.all_scores.row"
    row = said(key, formula=formula_of("scores", trace.stages), token=token, row=Numbers("scores", query))
    if other == query:
        return [row, said("lesson.all_scores.axes")]
    there, back = Numbers("scores", query, other), Numbers("scores", other, query)
    names = {"token": token, "other": _row_label(trace, other)}
    alike = said("lesson.all_scores.alike", there=there, **names)
    return [row, Compared(there, back, alike, said("lesson.all_scores.differ", there=there, back=back, **names))]


def _scale(trace: AttentionTrace, query: int, digits: int) -> list[AnyStatement]:
    d_k, cooled, temperature = trace.q.shape[-1], trace.temperature != 1, significant(trace.temperature)
    says: list[AnyStatement]
    if _is_linear(trace):
        says = [said("lesson.scale.linear")]
    elif trace.scale:
        root, divisor = written(d_k**0.5, digits), written(trace.divisor, digits)
        divided = (
            say("lesson.scale.root_cooled", d_k=d_k, root=root, temperature=temperature, divisor=divisor)
            if cooled
            else say("lesson.scale.root", d_k=d_k, root=root)
        )
        why = "why_cosine" if f"{SCORES}.cosine" in trace.switched_on else "why"
        says = [said("lesson.scale.scaled", divided=divided, d_k=d_k), said(f"lesson.scale.{why}")]
    else:
        off = said("lesson.scale.off_cooled", temperature=temperature) if cooled else said("lesson.scale.off")
        says = [off, said("lesson.scale.off_why")]
    if trace.distance_bias is not None:
        says = [*says, said("lesson.scale.biased")]
    masked = _masked_while_scaled(trace)
    return [*says, said(f"lesson.scale.{masked}")] if masked else says


def _masked_while_scaled(trace: AttentionTrace) -> str:
    """Return the sentence key for a mask before softmax; blank without one."""
    mask = trace.layers[0].mask
    if mask is None or trace.mask_use.late:
        return ""
    if trace.mask_use.times_scores:
        return "factor" if bool((mask != 0).any()) else ""
    if bool((mask.isfinite() & (mask != 0)).any()):
        return "added"
    by_mask = _by_mask(trace).removeprefix("_")
    return "by_place" if by_mask and cut_by_view(trace) else by_mask


def _softmax(trace: AttentionTrace, query: int, digits: int) -> list[AnyStatement]:
    late = trace.mask_use.name if trace.mask_use.late else "shares"
    return [said("lesson.softmax.linear" if _is_linear(trace) else f"lesson.softmax.{late}"), MostRead(query)]


def _why_nothing(trace: AttentionTrace, query: int) -> str:
    """Return why a query reads nothing; blank if it reads something.

    All its keys may be hidden ("nothing"), all its weights too small ("underflow"), or a number too large ("overflow").
    """
    hidden, scores = torch.from_numpy(trace.is_hidden[query]), trace.scaled_scores[query].cpu()
    if _hides(trace) and bool(hidden.all()):
        return "nothing"
    if not torch.isnan(trace.attention_weights[query]).any():
        return ""
    return "underflow" if bool(scores.where(~hidden, 0.0).isfinite().all()) else "overflow"


def _mix(trace: AttentionTrace, query: int, digits: int) -> list[AnyStatement]:
    if why := _why_nothing(trace, query):
        return [MostRead(query), said(f"lesson.mix.{why}")]
    most = _most_read(trace, query)
    share, value = Numbers("attention_weights", query, most), Numbers("v", most)
    return [said("lesson.mix.gives", most=_row_label(trace, most), share=share, value=value), said("lesson.mix.apart")]


def _goes_on(trace: AttentionTrace) -> str:
    """Say what context vectors become next, here or in a transformer."""
    made: dict[str, str] = {"context": ""}
    for name in in_view(trace.stages):
        if name not in made and made.keys() & set(trace.stages[name].sources):
            made[name] = trace.stages[name].symbol
    symbols = [symbol for name, symbol in made.items() if symbol and name != CONTEXTS]
    if not symbols:
        return say("lesson.context.next")
    key = "lesson.context.beside" if CONTEXTS in made else "lesson.context.becomes"
    return say(key, symbols=listed(symbols))


def _context(trace: AttentionTrace, query: int, digits: int) -> list[AnyStatement]:
    places = {"token": _label(trace, query), "row": Numbers("context", query)}
    if (why := _why_nothing(trace, query)) in ("nothing", "underflow"):
        return [said("lesson.context.undefined", **places), said(f"lesson.mix.{why}")]
    if not torch.isfinite(trace.context[query]).all():
        return [said("lesson.context.overflow", **places), said("lesson.context.smaller")]
    places["goes_on"] = _goes_on(trace)
    between = said("lesson.context.between" if _shares_all(trace) else "lesson.context.sum")
    if cut_by_view(trace):
        read = said("lesson.context.read_by_piece", piece=_row_label(trace, query), **places)
        return [read, between]
    if _reads_itself_alone(trace, query):
        return [said("lesson.context.itself", **places)]
    return [said("lesson.context.read" + _by_mask(trace), **places), between]


def _unless(
    switched: tuple[str, ...], tells: Callable[[AttentionTrace, int, int], list[AnyStatement]]
) -> Callable[[AttentionTrace, int, int], list[AnyStatement]]:
    """Return `tells`, or sentences on these What-if switches while one is on."""

    def told(trace: AttentionTrace, query: int, digits: int) -> list[AnyStatement]:
        on = [each for each in trace.switched_on if each.startswith(switched)]
        return [said(key_of(each, "more", reads_others(trace))) for each in on] or tells(trace, query, digits)

    return told


STEPS: tuple[Step, ...] = (
    Step("tokens", (), _tokens, likened="library"),
    Step("embeddings", ("e", "p", "x"), _embeddings, new=("x",), lit=lambda trace, query: ("x", query, 0)),
    Step("projections", ("x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "q", "k", "v"),
          _unless((PROJECTIONS, CUT), _projections), new=("q", "k", "v"),
          lit=lambda trace, query: ("q", query, 0), plays="q", likened="class", numbers=True),
    Step("one-score", ("q", "k", "scores"), _unless((SCORES, TYPED), _one_score), new=("scores",), plays="scores",
          one_cell=True, lit=lambda trace, query: ("scores", query, _most_read_other(trace, query))),
    Step("all-scores", ("q", "k", "scores"), _unless((SCORES, TYPED), _all_scores), new=("scores",), plays="scores",
          lit=lambda trace, query: ("scores", _most_read_other(trace, query), query)),
    Step("scale", ("scores", "mask", "scaled_scores"), _scale, new=("scaled_scores",), plays="scaled_scores",
          lit=lambda trace, query: ("scaled_scores", query, _most_read(trace, query))),
    Step("softmax", ("scaled_scores", "attention_weights"), _unless((SOFTMAX,), _softmax), new=("attention_weights",),
          plays="attention_weights", finding=True,
          lit=lambda trace, query: ("attention_weights", query, _most_read(trace, query))),
    Step("mix", ("w_v", "v", "attention_weights", "context"), _mix, new=("context",), plays="context",
          lit=lambda trace, query: ("context", query, 0), finding=True),
    Step("context", ("v", "attention_weights", "context"), _unless((SOFTMAX,), _context),
          lit=lambda trace, query: ("context", query, trace.context.shape[-1] - 1), finding=True),
)  # fmt: skip


def about_the_numbers(step: Step, scenario: Scenario) -> str:
    """Say where the W's are from, at steps that concern them.

    At other steps, say so only if they were chosen to give an example's scores.

    >>> about_the_numbers(STEPS[2], Scenario())
    'The numbers of W_q, W_k and W_v are random and untrained.'
    """
    if step.finding:
        return numbers_in_words(scenario)
    return chosen_in_words(scenario) or (projections_in_words(scenario, finding=False) if step.numbers else "")


def reached_matrices(number: int, trace: AttentionTrace) -> tuple[str, ...]:
    """Return the matrices reached by this step; the last reaches all.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> reached_matrices(2, trace(Scenario()))
    ('x',)
    """
    if number == len(STEPS):
        return in_view(trace.matrices)
    shown = {name for step in STEPS[:number] for name in step.shows}
    return tuple(name for name in trace.matrices if name in shown)


def shown_matrices(step: Step, trace: AttentionTrace) -> tuple[str, ...]:
    """Return the step's matrices that this trace has, in stage order."""
    return tuple(name for name in trace.matrices if name in step.shows)
