"""The digits that rounding hides in a handout, estimated from all tables.

Each hidden number differs from its print by up to half a unit of its last place, uniformly distributed. Finite
differences tell, to first order, how each table depends on all hidden numbers; the table's printed numbers then narrow
down what the hidden ones can be (Gaussian conditioning). So digits that one cell rules out can't excuse another.
"""

from typing import NamedTuple

import numpy as np
import torch

from attnviz.core.rules import Rule
from attnviz.features.check.marking.outcome import Windows

DEVIATIONS = 4.0  # rounding doesn't explain a number that is off by more standard deviations
MOST_DIGITS = 600  # hidden numbers that are followed one by one; random mixtures stand for more than that
MOST_TOGETHER = 300  # cells of a table that are checked against each other
_LARGEST = 20_000_000  # numbers in the slopes of one table, if mixtures stand for hidden numbers
_STEP = 1 / 64  # step of finite differences, as a share of the most that a number hides
_STEPS = 200  # iterations of the search for digits that explain a row
_AT_ONCE = 8
_ALONE = 0.5  # weight of evidence from dependent cells, where they are treated as independent
_OF_ROUNDING = 0.18  # average loss of log likelihood from taking a uniform error for a Gaussian one
_LEAST = 1e-24  # the smallest variance of a cell
_OWN_ARITHMETIC = 1e-12  # float64's error, as a share of a variance; without it, dependent cells make a matrix singular
_EVEN = 1 / 3  # variance of a uniform error, if the largest error is 1


class Estimate(NamedTuple):
    """A table's likeliest numbers ``(rows, columns)``, and how hidden digits move them.

    `slopes` are the derivatives by each hidden number, ``(hidden numbers, rows, columns)``. `at` are the values of the
    hidden numbers for which `value` was computed, ``(hidden numbers,)``.
    """

    value: np.ndarray
    slopes: np.ndarray
    at: np.ndarray


class HiddenDigits:
    """A handout's hidden digits: their likeliest values, and how certain these are."""

    def __init__(self) -> None:
        self.mean, self.covariance, self.most = np.zeros(0), np.zeros((0, 0)), np.zeros(0)
        self.mixed = False  # whether random mixtures replace the hidden numbers; then nothing is learned about these

    def exactly(self, value: np.ndarray) -> Estimate:
        """Return the estimate of a table that hides nothing."""
        return Estimate(value, np.zeros((len(self.mean), *value.shape)), self.mean)

    def hide(self, made: Estimate, windows: Windows, where: np.ndarray) -> Estimate:
        """Return a table with printed numbers in these cells, hiding new digits."""
        made = self.grown(made)
        value = np.where(where, windows.middle, self.now(made))
        slopes = np.where(where, 0.0, made.slopes)
        half = np.where(where, windows.half, 0.0)
        cells = np.argwhere(half > 0)
        if len(cells) + len(self.mean) > MOST_DIGITS or self.mixed:
            added = self._mixtures(half)
        else:
            added = np.zeros((len(cells), *value.shape))
            added[(np.arange(len(cells)), *cells.T)] = half[tuple(cells.T)]
        n, m = len(self.mean), len(added)
        grown = np.zeros((n + m, n + m))
        grown[:n, :n] = self.covariance
        grown[n:, n:] = np.eye(m) * (1.0 if self.mixed else _EVEN)
        self.covariance = grown
        self.mean = np.concatenate([self.mean, np.zeros(m)])
        self.most = np.concatenate([self.most, np.full(m, np.inf if self.mixed else 1.0)])
        return Estimate(value, np.concatenate([slopes, added]), self.mean)

    def _mixtures(self, half: np.ndarray) -> np.ndarray:
        self.mixed = True
        n = int(np.clip(_LARGEST // half.size, 16, 256))
        drawn = np.random.default_rng(half.size).standard_normal((n, *half.shape))
        return drawn * half * np.sqrt(_EVEN / n)

    def grown(self, made: Estimate) -> Estimate:
        """Return an estimate with slopes for hidden numbers added since, too."""
        missing = len(self.mean) - len(made.slopes)
        if not missing:
            return made
        slopes = np.concatenate([made.slopes, np.zeros((missing, *made.value.shape))])
        return Estimate(made.value, slopes, np.concatenate([made.at, self.mean[len(made.at) :]]))

    def now(self, made: Estimate) -> np.ndarray:
        """Return a table's likeliest numbers by all that is known now."""
        made = self.grown(made)
        if not len(self.mean) or not (self.mean != made.at).any():
            return made.value
        moved = np.tensordot(self.mean - made.at, made.slopes, 1)
        return made.value + np.where(np.isfinite(moved), moved, 0.0)

    def made(self, rule: Rule, *sources: Estimate) -> Estimate:
        """Return the estimate of a rule's result."""
        sources = tuple(map(self.grown, sources))
        values = tuple(torch.from_numpy(np.ascontiguousarray(self.now(source))) for source in sources)
        value = rule.compute(*values).numpy()
        if not len(self.mean):
            return self.exactly(value)
        # Central differences are exact for products; elsewhere their error is far smaller than what is hidden.
        there, back = (
            rule.compute(
                *(
                    each + torch.from_numpy(sign * _STEP * source.slopes)
                    for each, source in zip(values, sources, strict=True)
                )
            )
            for sign in (1, -1)
        )
        with np.errstate(all="ignore"):
            slopes = (there - back).numpy() / (2 * _STEP)
        return Estimate(value, np.where(np.isfinite(slopes), slopes, 0.0), self.mean)

    def spread(self, made: Estimate) -> np.ndarray:
        """Return each number's standard deviation due to hidden digits."""
        slopes = self.grown(made).slopes
        if not len(self.mean):
            return np.zeros(made.value.shape)
        flat = slopes.reshape(len(slopes), -1)
        variance = np.einsum("pc,pc->c", flat, self.covariance @ flat).reshape(made.value.shape)
        return np.sqrt(np.maximum(variance, 0.0))

    def reach(self, made: Estimate) -> np.ndarray:
        """Return how far hidden digits could move each number at most."""
        most = np.where(np.isfinite(self.most), self.most, DEVIATIONS)
        return np.tensordot(most, np.abs(self.grown(made).slopes), 1) if len(most) else np.zeros(made.value.shape)

    def fits(
        self, made: Estimate, spread: np.ndarray, windows: Windows, among: np.ndarray, noise: np.ndarray
    ) -> np.ndarray:
        """Return the cells of `among` that hidden digits explain, taken together.

        `noise` is each cell's floating-point error, `spread` how far hidden digits usually move it.
        """
        expected = self.now(made)
        with np.errstate(all="ignore"):
            off = windows.middle - expected
            near = np.abs(off) <= windows.half + DEVIATIONS * spread + noise
            zero = np.tensordot(self.mean, self.grown(made).slopes, 1) if len(self.mean) else 0.0
            near &= np.abs(off + zero) <= windows.half + 1.05 * self.reach(made) + noise
        fitting = among & near & np.isfinite(off)
        if not len(self.mean) or self.mixed or fitting.sum() > MOST_TOGETHER:
            return fitting
        fitting = self._fit_each_other(made, windows, fitting, off, noise)
        doubtful = fitting & (np.abs(off) > windows.half + 2 * spread + noise)
        for row in np.flatnonzero(doubtful.any(axis=1)).tolist():
            if not self._explained(made, windows, fitting[row], off[row], noise[row], row):
                fitting[row] &= ~doubtful[row]
        return fitting

    def _fit_each_other(
        self, made: Estimate, windows: Windows, fitting: np.ndarray, off: np.ndarray, noise: np.ndarray
    ) -> np.ndarray:
        """Return the cells without those that the other cells predict badly."""
        slopes = self.grown(made).slopes
        fitting = fitting.copy()
        while fitting.sum() > 1:
            rows = slopes[:, fitting].T
            by_hidden = rows @ self.covariance @ rows.T
            own = windows.half[fitting] ** 2 * _EVEN + noise[fitting] ** 2 + _of_arithmetic(by_hidden)
            precision = np.linalg.inv(by_hidden + np.diag(own))
            alone = np.diag(precision)
            foretold_off = precision @ off[fitting] / alone
            spread = np.sqrt(np.maximum(1 / alone - own, 0.0))
            over = np.abs(foretold_off) - (windows.half + noise)[fitting] - DEVIATIONS * spread
            scaled = over / np.sqrt(own + spread**2)
            worst = scaled.max()
            if worst <= 1e-6:
                break
            # If many cells are nearly as bad as the worst, all of them are dropped at once, to save time.
            leaving = scaled >= worst / 2 if (scaled >= worst / 2).sum() > _AT_ONCE else scaled.argmax()
            fitting[tuple(np.argwhere(fitting)[leaving].T)] = False
        return fitting

    def _explained(
        self, made: Estimate, windows: Windows, cells: np.ndarray, off: np.ndarray, noise: np.ndarray, row: int
    ) -> bool:
        """Whether hidden digits of any allowed size can give a row's cells."""
        slopes = self.grown(made).slopes[:, row, cells].T
        target = off[cells] + slopes @ self.mean
        half = windows.half[row, cells]
        allowed = half * 1.05 + noise[cells]
        step = 1 / max(float(np.linalg.norm(slopes, 2)) ** 2, 1e-30)
        digits = np.clip(self.mean, -self.most, self.most)
        ahead, before, pace = digits, digits, 1.0
        for _ in range(_STEPS):
            miss = slopes @ ahead - target
            beyond = np.sign(miss) * np.maximum(np.abs(miss) - allowed, 0.0)
            if not beyond.any():
                return True
            digits = np.clip(ahead - step * (slopes.T @ beyond), -self.most, self.most)
            quicker = (1 + np.sqrt(1 + 4 * pace**2)) / 2
            ahead, before, pace = digits + (pace - 1) / quicker * (digits - before), digits, quicker
        miss = np.abs(slopes @ digits - target)
        return bool((miss <= allowed + 0.05 * half + 0.01 * np.abs(target)).all())

    def learn(self, made: Estimate, spread: np.ndarray, windows: Windows, cells: np.ndarray) -> float:
        """Update the hidden digits by these cells; return their log likelihood."""
        cells = cells & np.isfinite(self.now(made)) & np.isfinite(windows.middle) & (spread > 1e-6 * windows.half)
        if not cells.any():
            return 0.0
        off = windows.middle[cells] - self.now(made)[cells]
        own = windows.half[cells] ** 2 * _EVEN + _LEAST
        widths = float(np.log(2 * windows.half[cells]).sum())
        if self.mixed or cells.sum() > MOST_TOGETHER:
            variance = own + spread[cells] ** 2
            likely = widths - 0.5 * float((off**2 / variance + np.log(2 * np.pi * variance)).sum())
            return min(_ALONE * (likely + _OF_ROUNDING * off.size), 0.0)
        rows = self.grown(made).slopes[:, cells].T
        gain = self.covariance @ rows.T
        by_hidden = rows @ gain
        shown = by_hidden + np.diag(own + _of_arithmetic(by_hidden))
        solved = np.linalg.solve(shown, np.column_stack([off, gain.T]))
        likely = widths - 0.5 * float(off @ solved[:, 0] + np.linalg.slogdet(2 * np.pi * shown)[1])
        self.mean = self.mean + gain @ solved[:, 0]
        self.covariance = self.covariance - gain @ solved[:, 1:]
        return min(likely + _OF_ROUNDING * off.size, 0.0)


def _of_arithmetic(covariance: np.ndarray) -> np.ndarray:
    """Return each cell's variance due to rounding errors of this module."""
    return _OWN_ARITHMETIC * np.abs(np.diag(covariance)) + _LEAST
