"""One walk through the stages, from inputs to results, in one reading."""

from collections.abc import Mapping

import numpy as np

from attnviz.core.masks import Masked
from attnviz.core.rules import Rule, scaling_of, touched
from attnviz.core.rules.bounds import FLOAT32, Bounded, bounded, computed_in
from attnviz.core.stages import MASK, Stage
from attnviz.features.check.marking.hidden import DEVIATIONS, Estimate, HiddenDigits
from attnviz.features.check.marking.judging import Made, Tainted, likely_cells, marks_of, with_allowed
from attnviz.features.check.marking.outcome import ENTERS, NOT_RIGHT, Mark, MarkedTable, Marking, Windows, as_marks
from attnviz.features.check.marking.printing import Half, behind, in_its_unit, with_numbers
from attnviz.features.check.marking.settings import Reading, Settings, base_of, path_of
from attnviz.features.check.marking.weighing import Weighing
from attnviz.features.tables.printed_table import Printed

OF_KEYS = ("scores", "scaled_scores", "attention_weights")
_AFTER_WEIGHTS = ("context", "output", "residual_1", "preactivations", "hidden", "feed_forward")


class UnknownDkError(ValueError):
    """Scores need √d_k, but neither the tables nor the reader give it."""


class Walk:
    """The state of a walk: each table exact, printed, and in full."""

    def __init__(
        self,
        printed: Mapping[str, Printed],
        settings: Settings,
        reading: Reading,
        precision: float,
        half: Half | None = None,
    ) -> None:
        grid = half.grid if half is not None else None
        self.shown, self.settings, self.reading = printed, settings, reading
        self.printed = {name: with_numbers(table, behind(table, grid)) for name, table in printed.items()}
        self.precision, self.half = precision, half
        self.stages = settings.table(printed)
        self.exact: dict[str, Bounded] = {}  # what exact arithmetic gives
        self.noise: dict[str, Bounded] = {}  # what exact arithmetic gives, with possible floating-point errors
        self.before: dict[str, Bounded] = {}  # printed numbers; for unprinted tables, what follows from those
        self.full: dict[str, Estimate] = {}  # the same, with all digits that can be known
        self.hidden = HiddenDigits()
        self.loose: dict[str, Bounded] = {}  # the same, whatever the hidden digits of any table are
        self.tainted: dict[str, np.ndarray] = {}  # cells that are wrong, or follow from a wrong number
        # The same, but also cells that print as the right numbers though their hidden digits follow from wrong ones.
        self.tainted_within: dict[str, np.ndarray] = {}
        self.slipped: set[str] = set()  # tables in which an error enters, or that follow from such a table
        self.taken: list[str] = []
        self.marked: list[MarkedTable] = []
        self.weighing = Weighing(reading)

    def marking(self) -> Marking:
        """Walk, and return the marked computation."""
        for stage in self.stages.values():
            if scaling_of(stage.rule) and self._cannot_scale(stage):
                continue  # no printed table is made from scaled scores
            if stage.sources and all(source in self.before for source in stage.sources):
                hidden = self._hidden_later(stage)
                if hidden is None:
                    self._make(stage)
                else:
                    self._make_unmasked(stage, hidden)
            elif stage.name in self.printed:
                self._take(stage.name)
            elif stage.name == MASK and self.settings.masked is not None:
                self._know_mask(self.settings.masked)
        return Marking(
            settings=self.settings,
            stages=self.stages,
            tables=tuple(self.marked),
            taken=tuple(self.taken),
            rounded=tuple(name for name, table in self.printed.items() if self.reading.hides(table.decimals)),
            before={name: made.value for name, made in self.before.items()},
            decimals={name: table.decimals for name, table in self.printed.items()},
            half=self.half,
            full={name: self.hidden.now(made) for name, made in self.full.items()},
            reading=self.reading,
            unlikeliness=self.weighing.of_all(self.marked),
        )

    def _take(self, name: str) -> None:
        table = self.printed[name]
        given = table.array
        if np.isnan(given).any():
            return  # an input with blanks can't be used, nor marked
        windows = Windows.of(given, table.places, cut=self.reading.results == "cut")
        hides = self.reading.hides(table.decimals)
        self.exact[name] = self.before[name] = Bounded(given, windows.half if hides else np.zeros_like(given))
        self.full[name] = self.hidden.exactly(given)
        if hides:
            self.full[name] = self.hidden.hide(self.full[name], windows, np.isfinite(given))
        self.noise[name], self.loose[name] = Bounded.exactly(given), self.before[name]
        self.tainted[name] = self.tainted_within[name] = np.zeros(given.shape, dtype=bool)
        self.taken.append(name)

    def _know_mask(self, masked: Masked) -> None:
        """Take the mask from the settings: a handout needn't print it."""
        there = {name: made.value.shape for name, made in self.before.items()}
        there |= {name: table.array.shape for name, table in self.printed.items()}
        square = next((shape for name, shape in there.items() if base_of(name) in OF_KEYS), None)
        rows = {base_of(name): shape[0] for name, shape in there.items()}
        n_queries, n_keys = square or (rows.get("q", rows.get("x")), rows.get("k", rows.get("x")))
        if n_queries and n_keys:
            self._know(MASK, np.where(masked.hidden(n_queries, n_keys), -np.inf, 0.0))

    def _know(self, name: str, exact: np.ndarray) -> None:
        self.exact[name] = self.before[name] = self.noise[name] = self.loose[name] = Bounded.exactly(exact)
        self.full[name] = self.hidden.exactly(exact)
        self.tainted[name] = self.tainted_within[name] = np.zeros(exact.shape, dtype=bool)

    def _cannot_scale(self, stage: Stage) -> bool:
        """Whether scores can't be scaled, and nothing printed needs it."""
        if not self.settings.scale or self.settings.d_k is not None or stage.sources[0] not in self.before:
            return False
        path = path_of(stage.name)
        needed = [stage.name, f"{path}attention_weights"]
        if f"{path}v" in self.before:
            needed += [f"{path}context", *_AFTER_WEIGHTS]
        if not any(name in self.printed for name in needed):
            return True
        raise UnknownDkError(
            "d_k is not known: none of W_q, W_k, Q and K is there to show it, and scaled scores need its root"
        )

    def _hidden_later(self, stage: Stage) -> np.ndarray | None:
        """Return which printed scores are masked only in the weights, or None."""
        weights = self.printed.get(f"{path_of(stage.name)}attention_weights")
        if MASK not in stage.sources or stage.name not in self.printed or weights is None:
            return None
        hidden = self.before[MASK].value == -np.inf
        later = np.isfinite(self.printed[stage.name].array[hidden]).all() and (weights.array[hidden] == 0).all()
        return hidden if hidden.any() and later else None

    def _make_unmasked(self, stage: Stage, hidden: np.ndarray) -> None:
        """Mark scores without the mask, then continue with masked ones."""
        masked = {name: getattr(self, name)[MASK] for name in ("exact", "before", "noise", "loose", "full")}
        self._know(MASK, np.zeros(hidden.shape))
        self._make(stage)
        for name, table in masked.items():
            getattr(self, name)[MASK] = table
        for tables in (self.exact, self.before, self.noise, self.loose):
            made = tables[stage.name]
            tables[stage.name] = Bounded(np.where(hidden, -np.inf, made.value), np.where(hidden, 0.0, made.error))
        self.full[stage.name] = self._with(self.full[stage.name], np.full(hidden.shape, -np.inf), hidden)

    def _make(self, stage: Stage) -> None:
        rule = stage.rule
        assert rule is not None
        made = self._made(rule, stage)
        # The cells with a source cell that is wrong, or follows from a wrong one.
        tainted = Tainted(
            touched(rule, *(self.tainted[source] for source in stage.sources)),
            touched(rule, *(self.tainted_within[source] for source in stage.sources)),
        )
        self.exact[stage.name] = made.exact
        slipped = any(source in self.slipped for source in stage.sources)
        self.slipped |= {stage.name} if slipped else set()
        if stage.name not in self.printed:
            self.before[stage.name], self.full[stage.name], self.loose[stage.name] = (
                made.followed,
                made.full,
                made.loose,
            )
            self.tainted[stage.name], self.tainted_within[stage.name] = tainted
            return
        table, unit = self._in_its_unit(self.printed[stage.name].without_shared_zeros(), stage, made)
        likely = likely_cells(table, made, self.reading, self.hidden)
        marks = marks_of(table, made, tainted, likely, self.reading, in_half=self.half is not None)
        self.weighing.table(table, made, marks, likely, digits_are_hidden=len(self.hidden.mean) > 0)
        if slipped and self.reading.results != "rounded":
            marks = with_allowed(table, made, marks, self.reading)
        self.slipped |= {stage.name} if np.isin(marks, ENTERS).any() else set()
        self.marked.append(
            MarkedTable(
                stage, table.decimals, self.shown[stage.name].array / unit, made.exact.value, made.followed.value,
                as_marks(marks), table.places, made.now, made.spread, unit, table.array, made.machine[0],
            )
        )  # fmt: skip
        self._go_on(stage.name, table, made, marks, likely, tainted)

    def _made(self, rule: Rule, stage: Stage) -> Made:
        exact = bounded(rule, *(self.exact[source] for source in stage.sources))
        followed = bounded(rule, *(self.before[source] for source in stage.sources))
        loose = bounded(rule, *(self.loose[source] for source in stage.sources))
        noise_before = [self.noise[source] for source in stage.sources]
        noise = self.noise[stage.name] = computed_in(rule, self.precision, *noise_before)
        before = [Bounded.exactly(self.before[source].value) for source in stage.sources]
        machine = [noise.error, computed_in(rule, self.precision, *before).error]
        if self.half is not None and stage.name in self.half.elsewhere:
            # Cells that half precision can't hold were computed in float32.
            fine = (computed_in(rule, FLOAT32, *tables) for tables in (noise_before, before))
            elsewhere = self.half.elsewhere[stage.name]
            machine = [np.where(elsewhere, f.error, error) for f, error in zip(fine, machine, strict=True)]
        of_all, of_step = (np.where(np.isfinite(error), error, 0.0) for error in machine)
        with np.errstate(all="ignore"):
            full = self.hidden.made(rule, *(self.full[source] for source in stage.sources))
        return Made(exact, followed, loose, full, self.hidden.now(full), self.hidden.spread(full), (of_all, of_step))

    def _in_its_unit(self, table: Printed, stage: Stage, made: Made) -> tuple[Printed, int]:
        """Return a table converted from percent or the like, and its unit."""
        own = DEVIATIONS * made.spread

        def fits(read: Printed) -> np.ndarray:
            windows = Windows.of(read.array, read.places)
            either = windows.hold(made.exact.value) | windows.hold(made.followed.value)
            return either | windows.hold(made.now, own)

        return in_its_unit(table, stage.makes_shares, fits)

    def _go_on(
        self, name: str, table: Printed, made: Made, marks: np.ndarray, likely: np.ndarray, tainted: Tainted
    ) -> None:
        """Store what later tables use: printed numbers, and all known digits."""
        given, blank = table.array, marks == Mark.BLANK
        cut = self.reading.results == "cut"
        windows = Windows.of(given, table.places, cut=cut)
        own = windows.half if self.reading.hides(table.decimals) else np.zeros_like(given)
        self.before[name] = Bounded(
            np.where(blank, made.followed.value, given), np.where(blank, made.followed.error, own)
        )
        self.loose[name] = Bounded(
            np.where(blank, made.loose.value, windows.middle), np.where(blank, made.loose.error, windows.half)
        )
        self.tainted[name] = np.isin(marks, NOT_RIGHT) | (blank & tainted.printed)
        self.tainted_within[name] = np.isin(marks, NOT_RIGHT) | tainted.within
        if len(self.hidden.mean):
            self.weighing.add(-self.hidden.learn(made.full, made.spread, windows, likely & ~blank))
        followed = Windows.of(given, table.places).hold(made.followed.value) & ~blank
        on_with = (np.isin(marks, (Mark.CARRIED, Mark.FOLLOWS)) & ~likely) & followed
        if on_with.any() and not ((marks == Mark.RIGHT) & ~followed).any():
            on_with = followed  # the whole table was computed from rounded numbers
        full = self.full[name] = self._with(made.full, made.followed.value, on_with & np.isfinite(made.followed.value))
        wrong = np.isin(marks, NOT_RIGHT) & ~likely & ~on_with & np.isfinite(given)
        if wrong.any() and self.reading.in_full:
            self.full[name] = self.hidden.hide(full, windows, wrong)
        elif wrong.any():
            self.full[name] = self._with(full, given, wrong)
        endless = np.isin(marks, NOT_RIGHT) & ~np.isfinite(given)
        if endless.any():
            self.full[name] = self._with(self.full[name], given, endless)

    def _with(self, made: Estimate, values: np.ndarray, where: np.ndarray) -> Estimate:
        """Return an estimate with these exact values in some cells."""
        now = self.hidden.now(made)
        grown = self.hidden.grown(made)
        return Estimate(np.where(where, values, now), np.where(where, 0.0, grown.slopes), self.hidden.mean)
