"""The curve of costs against length, and a measured one."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from attnviz.app.operations.run_queue import Turns
from attnviz.app.parts.charts import show_offered
from attnviz.app.session.session import this_session
from attnviz.core.scenario import Scenario
from attnviz.features.costs.curves import LENGTHS, QUANTITIES, cost_spec, measured_spec
from attnviz.features.costs.in_words import bytes_in_words, count_in_words, of_model, of_own, plural_tokens, shortly
from attnviz.features.costs.measuring import SECONDS, WIDTH, Measured, measured_times
from attnviz.features.costs.of_scenario import costs_of
from attnviz.features.costs.published_models import PUBLISHED_MODELS, PublishedModel
from attnviz.published import OPENING, starting_points
from attnviz.words import plural, say, thousands
from attnviz.words.numbers import significant

_LENGTH = 8192
_MODELS = {each.costs.name: each for each in PUBLISHED_MODELS}
TURNS = Turns(1)  # measured one after the other, because two at once would slow each other


def show_curve(scenario: Scenario | None) -> None:
    """Draw what models keep and multiply, beside the reader's set-up."""
    scenario = starting_points()[OPENING].scenario if scenario is None else scenario
    own, n_own = costs_of(scenario), len(scenario.tokens)
    st.text(say("costs.curve.about"))
    with st.container(key="costs_controls", horizontal=True, vertical_alignment="bottom"):
        quantity = st.segmented_control(say("costs.curve.quantity"), QUANTITIES, default=QUANTITIES[0], required=True,
                                        format_func=lambda each: say(f"costs.quantity.{each}"), key="costs.quantity",
                                        persist_state="session")  # fmt: skip
        name = st.selectbox(say("costs.curve.model"), [*_MODELS], index=1, key="costs.model", persist_state="session",
                            width=280)  # fmt: skip
        length = st.select_slider(say("costs.curve.length"), LENGTHS, value=_LENGTH, format_func=thousands,
                                  key="costs.length", persist_state="session", width=320)  # fmt: skip
    model = _MODELS[name]
    told = f"{of_model(model.costs, length)} {say(f'costs.model.{model.key}')}"
    of_reader = of_own(own, n_own, length)
    draw = partial(cost_spec, [each.costs for each in PUBLISHED_MODELS], own, n_own, quantity=quantity or QUANTITIES[0],
                   picked=name, length=length)  # fmt: skip
    title = say(f"costs.curve.{quantity}")
    show_offered(draw, "costs.curve", title, f"{told} {of_reader}", width="stretch")
    st.text(told)
    if length > model.longest:
        st.caption(say("costs.curve.too_long", model=name, longest=plural_tokens(model.longest)))
    st.text(of_reader)
    with st.expander(say("costs.table.heading"), key="costs_table"):
        _show_table(length)


def _show_table(length: int) -> None:
    rows = [_row(model, length) for model in PUBLISHED_MODELS]
    columns = {say(f"costs.table.{key}"): [row[key] for row in rows] for key in rows[0]}
    link = st.column_config.LinkColumn(say("costs.table.source"), display_text=say("costs.table.open"))
    st.dataframe(columns, hide_index=True, key="costs.table", column_config={say("costs.table.source"): link})
    st.caption(say("costs.table.about", n=plural_tokens(length)))


def _row(model: PublishedModel, length: int) -> dict[str, str]:
    costs = model.costs
    return {
        "name": costs.name,
        "way": say(f"costs.model.{model.key}"),
        "cached": bytes_in_words(costs.cached_bytes(length)),
        "multiplications": count_in_words(costs.multiplications(length)),
        "sizes": say(f"costs.source.{model.key}"),
        "source": model.address,
    }


@dataclass
class _Times:
    """The measurements of this session."""

    measured: tuple[Measured, ...] = ()


def show_measured() -> None:
    """Offer to measure attention here, and draw what was measured."""
    times = this_session().part(_Times)
    st.markdown(f"### {say('costs.measured.heading')}")
    st.text(say("costs.measured.about", width=plural(WIDTH, "number"), seconds=plural(round(SECONDS), "second")))
    if st.button(say("costs.measured.act"), key="costs.measure"):
        with TURNS.turn(lambda before: None):
            times.measured = measured_times()
    if times.measured:
        told = _measured_in_words(times.measured)
        show_offered(partial(measured_spec, times.measured), "costs.measured", say("costs.measured.title"), told,
                     width="stretch")  # fmt: skip
        st.text(told)


def _measured_in_words(measured: tuple[Measured, ...]) -> str:
    before, last = measured[-2:]
    return say(
        "costs.measured.told", before=thousands(before.tokens), n=plural_tokens(last.tokens),
        counted=significant(last.multiplications / before.multiplications, 2),
        whole=significant(last.whole_ms / before.whole_ms, 2), tiled=significant(last.tiled_ms / before.tiled_ms, 2),
        whole_ms=shortly(last.whole_ms), tiled_ms=shortly(last.tiled_ms),
    )  # fmt: skip
