"""One training step in detail: examples, loss, gradients and the optimizer's update."""

from collections.abc import Mapping
from typing import cast

import streamlit as st
from torch import Tensor

from attnviz.app.session import state
from attnviz.core.attention import AttentionTrace
from attnviz.core.tokens import token_labels
from attnviz.features.learn.page.extra_runs import STEP, OneStep, offer, work_in
from attnviz.features.learn.page.gradients import called, show_numbers, show_pictures, small
from attnviz.features.learn.page.moment import Off, identity, listed
from attnviz.features.learn.page.running import leave
from attnviz.features.learn.training import BETAS, Link, Place, StepTaken, Training, chain, finite_difference
from attnviz.words import plural, say, thousands
from attnviz.words.numbers import percent, significant, written

_TERMS = 3  # terms of a sum that are written out
_DIGITS = 3  # decimals of a number in a table, at most
_EPSILON = 1e-8  # default of torch.optim.Adam
SATURATED, VANISHED = 0.95, 0.1  # mean of rows' largest weights; W_q's and W_k's gradient as a share of W_v's


def show_glass(training: Training, step: int, text: str, trace: AttentionTrace, layer: int, off: Off) -> None:
    """Draw the details of the next step, always with all heads on."""
    gradients = training.gradients(step)
    if off:
        st.caption(say("learn.glass.all_heads", heads=listed(training.settings, off)))
    _batch(training, step, gradients.loss)
    st.text(saturation_in_words(training, trace, gradients.of, layer))
    show_pictures(training, step, trace, gradients.of)
    if len(trace.tokens) < 2:
        st.text(say("learn.glass.one_token"))
        return
    own = training.gradients_of(step, text)
    place = _picked(training, trace, own)
    digits = state.digits()
    show_numbers(training, step, trace, gradients.of, place, min(_DIGITS, digits))
    of_batch, of_text = (
        small(each[place.matrix][place.row, place.column].item(), n)
        for each, n in ((gradients.of, min(_DIGITS, digits)), (own, digits))
    )
    st.text(say("learn.glass.two", cell=_cell(trace, place), of_batch=of_batch, of_text=of_text))
    _chain(training, step, text, trace, place)
    _optimizer(training, step, place)


def _batch(training: Training, step: int, loss: float) -> None:
    """Describe the next step's examples, and draw a choice of one."""
    ids, task = training.model.examples(step).ids.tolist(), training.model.task
    texts = [task.between.join(task.vocabulary[i] for i in row) for row in ids]
    key = "learn.glass.batch" if step < len(training.losses) or not _has_ended(training) else "learn.glass.batch_last"
    st.text(say(key, texts=plural(len(texts), "text"), loss=written(loss, 4)))
    at = st.selectbox(
        say("learn.glass.texts"), range(len(texts)), key=f"learn.glass.text.{len(texts)}", persist_state="session",
        format_func=lambda at: say("learn.glass.text", n=at + 1, text=texts[at]),
    )  # fmt: skip
    st.code(texts[at], language=None, wrap_lines=True)


def _has_ended(training: Training) -> bool:
    """Whether no further step is left to do."""
    return bool(training.stopped) or len(training.losses) >= training.settings.steps


def saturation_in_words(training: Training, trace: AttentionTrace, gradients: Mapping[str, Tensor], layer: int) -> str:
    """Say how large the projections' gradients are, and if softmax is saturated."""
    sizes = [gradients[training.model.name_of(layer, None, name)].norm().item() for name in ("w_q", "w_k", "w_v")]
    told = [written(size, 4) for size in sizes]
    largest = trace.layers[layer].attention_weights[..., 1:, :].max(-1).values
    share = largest.mean().item() if largest.numel() else 0.0
    gone = share >= SATURATED and max(sizes[:2]) <= VANISHED * sizes[2]
    key = "learn.glass.saturated" if gone else "learn.glass.sizes"
    return say(key, w_q=told[0], w_k=told[1], w_v=told[2], share=percent(share))


def _picked(training: Training, trace: AttentionTrace, gradients: Mapping[str, Tensor]) -> Place:
    names = [name for name, shape in training.model.shapes.items() if len(shape) == 2]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = names.index(training.model.name_of(training.settings.n_layers - 1, None, "w_q"))
        name = st.selectbox(
            say("learn.glass.matrix"), names, first, key="learn.glass.matrix", width=160,
            format_func=lambda each: called(trace.stages[each]) if each in trace.stages else each,
        )  # fmt: skip
        rows, columns = training.model.shapes[name]
        row, column = divmod(int(gradients[name].abs().nan_to_num().argmax()), columns)
        key = f"{identity(training.settings)}.{name}"
        row = st.number_input(say("learn.glass.row"), 0, rows - 1, row, key=f"learn.glass.row.{key}", width=120)
        column = st.number_input(
            say("learn.glass.column"), 0, columns - 1, column, key=f"learn.glass.column.{key}", width=120
        )
    return Place(name, row, column)


def _chain(training: Training, step: int, text: str, trace: AttentionTrace, place: Place) -> None:
    links = chain(trace, training.gradients_of(step, text), *place)
    measured = finite_difference(training, step, *place, text=text)
    digits = state.digits()
    st.markdown(f"**{say('learn.glass.chain')}**")
    st.text(say("learn.glass.gradient", cell=_cell(trace, place), value=small(links[0].gradient, digits),
                measured=small(measured, digits)))  # fmt: skip
    lines = [_line(trace, link, digits) for link in links[:-1]]
    lines.append(say("learn.glass.end", cell=_cell(trace, links[-1].place), value=small(links[-1].gradient, digits)))
    st.code("\n".join(lines), language=None, wrap_lines=True)


def _line(trace: AttentionTrace, link: Link, digits: int) -> str:
    """Return a gradient written as a sum of its largest terms."""
    terms = sorted(link.terms, key=lambda term: -abs(term.product))
    written_out = " + ".join(
        f"{_factor(trace, term.of, term.local, digits)} × {small(term.gradient, digits)}" for term in terms[:_TERMS]
    )
    rest = sum(term.product for term in terms[_TERMS:])
    more = f" + {small(rest, digits)}" if len(terms) > _TERMS else ""
    through = called(trace.stages[link.terms[0].through.matrix])
    if [(term.of, term.local) for term in link.terms] == [(None, 1.0)]:
        return say("learn.glass.passed_on", cell=_cell(trace, link.place),
                   through=_cell(trace, link.terms[0].through), value=small(link.gradient, digits))  # fmt: skip
    return say("learn.glass.line", cell=_cell(trace, link.place), through=through, sum=written_out + more,
               value=small(link.gradient, digits))  # fmt: skip


def _factor(trace: AttentionTrace, of: Place | None, value: float, digits: int) -> str:
    return small(value, digits) if of is None else f"{_cell(trace, of)} {small(value, digits)}"


def _cell(trace: AttentionTrace, place: Place) -> str:
    stage = trace.stages[place.matrix]
    labels = token_labels(trace.tokens)
    row = labels[place.row] if stage.rows in ("token", "query", "key") and place.row < len(labels) else place.row
    column = labels[place.column] if stage.columns == "key" and place.column < len(labels) else place.column
    return f"{called(stage)}[{row}, {column}]"


def _optimizer(training: Training, step: int, place: Place) -> None:
    st.markdown(f"**{say('learn.glass.optimizer')}**")
    if step >= len(training.losses):
        leave()
        st.text(say(f"learn.glass.{'last' if _has_ended(training) else 'paused' if training.losses else 'not_begun'}"))
        return
    asked = training.settings, step
    work = work_in(STEP, asked)
    if work is None or not work.done:
        offer(STEP, asked, say("learn.glass.look"), lambda: OneStep(*asked))
        return
    taken = cast("OneStep", work).taken
    assert taken is not None
    st.code("\n".join(update_in_words(training, taken, place)), language=None, wrap_lines=True)


def update_in_words(training: Training, taken: StepTaken, place: Place) -> list[str]:
    """Return what the optimizer does with a number, line by line."""
    update = taken.updates.get(place.matrix)
    if update is None:
        return [say("learn.glass.frozen")]

    def at(matrix: Tensor | None) -> float:
        return 0.0 if matrix is None else matrix.reshape(-1, matrix.shape[-1])[place.row, place.column].item()

    old, gradient, new = (at(each) for each in (update.before, update.gradient, update.after))
    shown = {
        "old": significant(old),
        "gradient": significant(gradient),
        "new": significant(new),
        "rate": significant(taken.rate),
    }
    lines = [say("learn.glass.of_batch", step=thousands(taken.step), old=shown["old"], gradient=shown["gradient"])]
    if update.mean is None:
        return [*lines, say("learn.glass.sgd", **shown)]
    mean, square, t = at(update.mean), at(update.mean_square), taken.step + 1
    first, second = mean / (1 - BETAS[0] ** t), square / (1 - BETAS[1] ** t)
    return [
        *lines,
        say("learn.glass.mean", beta=BETAS[0], rest=significant(1 - BETAS[0]), mean=significant(mean)),
        say("learn.glass.square", beta=BETAS[1], rest=significant(1 - BETAS[1]), square=significant(square)),
        say("learn.glass.unbiased", t=t, first=significant(first), second=significant(second)),
        say(
            "learn.glass.adam",
            first=significant(first),
            second=significant(second),
            epsilon=significant(_EPSILON),
            **shown,
        ),
    ]
