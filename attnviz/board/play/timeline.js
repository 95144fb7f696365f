// The timeline of "Play this row": the phases of the picked token's row, and the state at a moment. Phases follow from
// the rules of the table's stages and from the matrices on the board, not from names, so that biases, masks and other
// tables play, too.

import { grouped, isOfOthers, nameOf, pieceNamed } from "../cells/cell.js";
import { decimal, decimalOf, productOf, sign, signOfAll } from "../values/decimals.js";
import { isMasked } from "../values/dependencies.js";
import { dividedBy, explain } from "../values/explain.js";
import { valueAt } from "../values/matrices.js";
import { numberOf, written } from "../values/numbers.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

const RISE = 120; // milliseconds in which whatever isn't reached yet fades ...
const FADE = 300; // ... and appears again at the end
const EVEN_OUT = 0.6; // share of a step after which its result shows
/** @type {Record<PhaseKind, number>} milliseconds of each kind: the time that it takes to read its explanation */
const TAKES = { vector: 4000, scores: 5000, scale: 3500, shares: 7000, mix: 5000, other: 3000 };

/**
 * The phases of a row, in the order of the table; `spine` names the board's matrices with a row for each token. If only
 * the scores or only the scaled scores are on the board, both phases happen in this one place.
 * @param {Trace} trace @param {string[]} spine @param {number} query @returns {Phase[]}
 */
export function phasesOf(trace, spine, query) {
  const { stages, matrices } = trace;
  const table = [...stages.values()].filter(({ name }) => matrices[name]);
  const phases = table.flatMap((stage) => {
    const on = placeOfPhase(table, spine, stage);
    // In cross-attention, matrices of the second sentence have no row of the picked token.
    if (on === null || stage.rule === "given" || isOfOthers(stage)) return [];
    return [{ name: stage.name, on, kind: kindOf(stages, stage), stage }];
  });
  const told = phases.filter(({ kind, on, name, stage }) => kind !== "scale" || on === name || doesSomething(stage));
  let start = 0;
  return told.map((phase) => {
    const end = start + TAKES[phase.kind];
    const timed = { ...phase, ...stepsOf(trace, phase, query), start, end };
    start = end;
    return timed;
  });
}

// The matrix in whose place a stage's row is shown: the stage's own, or, if only the scores or only the scaled scores
// are on the board, that one for both. Null if the row isn't shown.
/** @param {Stage[]} table @param {string[]} spine @param {Stage} stage */
function placeOfPhase(table, spine, stage) {
  if (spine.includes(stage.name)) return stage.name;
  if (stage.is.divides) return spine.includes(stage.sources[0]) ? stage.sources[0] : null;
  const divided = table.find(({ is, sources }) => is.divides && sources[0] === stage.name);
  return divided && spine.includes(divided.name) ? divided.name : null;
}

/** @param {Trace["stages"]} stages @param {Stage} stage @returns {PhaseKind} */
function kindOf(stages, stage) {
  if (stage.is.divides) return "scale";
  if (stage.is.shares?.powers) return stage.settings.axis === "rows" ? "shares" : "other";
  const { name, settings: { cosine, typed }, sources } = stage;
  if (!stage.is.product || cosine || typed.length || (name === "scores" && sources[0].startsWith("k"))) return "other";
  if (stage.columns === "key") return "scores";
  return stages.get(stage.sources[0]).is.shares ? "mix" : "vector";
}

// Whether the stage changes the scores: divides by anything but 1, or applies a mask.
function doesSomething(/** @type {Stage} */ { settings: { d_k: dK, temperature }, sources }) {
  return (dK !== null && dK !== 1) || temperature !== 1 || sources.length > 1;
}

// The columns of a stage's row that hold a number, and the phase's steps: one for each column, or for a mix one for
// each row of the right factor.
/** @param {Trace} trace @param {Pick<Phase, "kind" | "stage">} phase @param {number} query */
function stepsOf(trace, { kind, stage }, query) {
  const columns = columnsOf(trace, stage, query);
  if (kind === "scale") return { columns, steps: [0] };
  if (kind === "shares") return { columns, steps: [0, 1] }; // exponentials, then their shares
  return { columns, steps: kind === "mix" ? columnsOf(trace, trace.stages.get(stage.sources[0]), query) : columns };
}

/** @param {Trace} trace @param {Stage} stage @param {number} query */
function columnsOf(trace, stage, query) {
  const all = Array.from({ length: trace.matrices[stage.name].columns }, (_, column) => column);
  return stage.columns === "key" ? all.filter((key) => !isHidden(trace, stage, query, key)) : all;
}

// Whether a mask hides a key from a query, in this stage or in the one that divides it.
/** @param {Trace} trace @param {Stage} stage @param {number} query @param {number} key */
export function isHidden(trace, stage, query, key) {
  const after = [...trace.stages.values()]
    .filter(({ is, sources }) => is.divides && sources.includes(stage.name));
  return [stage, ...after].some((each) => isMasked(trace, each, query, key));
}

// A number of the row that isn't finite, so that the row can't be played; null if all are finite.
/** @param {Trace} trace @param {Phase[]} phases @param {number} query @returns {Place | null} */
export function brokenIn(trace, phases, query) {
  const { stages, matrices } = trace;
  for (const { stage } of phases) {
    const sources = stage.sources.map((name) => stages.get(name));
    const own = sources.filter((source) => source.rows !== "feature" && !isOfOthers(source));
    for (const { name, rule } of [...own, stage]) {
      const breaks = (/** @type {number} */ value) =>
        !Number.isFinite(value) && (rule !== "given" || value !== -Infinity); // a mask may hold −∞
      const column = columnsOf(trace, stages.get(name), query)
        .find((each) => breaks(valueAt(matrices[name], query, each)));
      if (column !== undefined) return { matrix: name, row: query, column };
    }
  }
  return null;
}

/**
 * The start and end of all phases; with a `part`, of the last phase only. The end includes the time in which whatever
 * has faded appears again.
 * @param {Phase[]} phases @param {string | null} part @returns {Stretch}
 */
export function spanOf(phases, part = null) {
  const last = phases[phases.length - 1];
  return { from: part === null || !last ? 0 : last.start, to: (last?.end ?? 0) + FADE };
}

/**
 * The state at a time; null before the start and after the end. `part` is how much of the phase is over, `within` how
 * much of its step, `shown` how many of its steps show their result.
 * @param {Phase[]} phases @param {number} time @param {Stretch} span @returns {Moment | null}
 */
export function momentAt(phases, time, { from, to } = spanOf(phases)) {
  if (!phases.length || time <= from || time >= to) return null;
  const found = phases.findIndex(({ end }) => time < end);
  const at = found < 0 ? phases.length - 1 : found;
  const { start, end, steps } = phases[at];
  const part = Math.min(1, (time - start) / (end - start));
  const step = Math.min(steps.length - 1, Math.floor(part * steps.length));
  const within = steps.length ? Math.min(1, part * steps.length - step) : 1;
  return { at, part, step, within, shown: step + (within >= EVEN_OUT ? 1 : 0),
    veil: Math.min(1, (time - from) / RISE, (to - time) / FADE) };
}

// The columns of a phase's row whose results show at a moment: one more with each step, or all at the end.
/** @param {Phase[]} phases @param {Moment} moment @param {number} index @returns {number[]} */
export function reachedColumns(phases, { at, shown }, index) {
  const { kind, steps, columns } = phases[index];
  if (index > at) return [];
  if (index < at || kind === "scale") return columns;
  if (kind === "shares" || kind === "mix") return shown === steps.length ? columns : [];
  return steps.slice(0, shown);
}

// A time at which a phase has all its results: just before its end, where the next one begins.
export function standing(/** @type {Phase} */ { start, end }) {
  return end - (end - start) / 1000;
}

// ---- the dock's text during a play ----

const TOLD = 4; // how many numbers of a row are written

// The sentence on what happens in a phase.
/** @param {Trace} trace @param {Phase} phase @param {Moment} moment @param {number} query */
export function playing(trace, phase, moment, query) {
  const { kind, stage } = phase;
  const token = pieceNamed(stage, query, trace.names);
  if (kind === "scores") return met(trace, phase, token);
  if (kind === "scale") return scaled(trace, phase, query);
  if (kind === "shares") return moment.step === 0 ? say("board.play.exponentials") : shares(trace, stage);
  if (kind === "other") return say("board.play.other", { token, made: stage.symbol });
  const [left, factor, bias] = stage.sources.map((name) => trace.stages.get(name).symbol);
  const right = kind === "vector"
    && stage.settings.transposed ? say("board.matrix.transposed", { symbol: factor }) : factor;
  if (kind === "mix") return say("board.play.mix", { token, right, made: stage.symbol });
  return say(bias ? "board.play.vector_bias" : "board.play.vector",
    { token, left, right, bias: bias ?? "", made: stage.symbol });
}

// The sentence on the scores: with one key if only one is asked for, otherwise with all keys that aren't masked.
/** @param {Trace} trace @param {Phase} phase @param {string} token */
function met(trace, { stage, columns, only }, token) {
  if (only) return say("board.play.score", { token, other: pieceNamed(stage, columns[0], trace.readNames) });
  return say(columns.length < trace.matrices[stage.name].columns ? "board.play.scores_masked" : "board.play.scores",
    { token });
}

// The sentence on scaling: the divisor, a mask that changes this row by addition or multiplication, and whether masked
// keys are skipped.
/** @param {Trace} trace @param {Phase} phase @param {number} query */
function scaled(trace, { stage, columns }, query) {
  const by = dividedBy(stage.settings);
  const [, mask] = stage.sources;
  const counts = mask && columns.some((column) => valueAt(trace.matrices[mask], query, column) !== 0);
  return [
    by ? say("board.play.scale", { by }) : say("board.play.undivided"),
    ...(counts ? [say(`board.play.${stage.settings.factor ? "times" : "plus"}`,
      { symbol: trace.stages.get(mask).symbol })] : []),
    ...(columns.length < trace.matrices[stage.name].columns ? [say("board.play.skipped")] : []),
  ].join(" ");
}

// The sentence on the division by the sum; if a mask is applied after the softmax, on what it does to the weights.
/** @param {Trace} trace @param {Stage} stage */
function shares(trace, { settings, sources: [, mask] }) {
  if (!mask) return say("board.play.shares");
  return say(settings.shared ? "board.play.shares_renormalized" : "board.play.shares_zeroed",
    { symbol: trace.stages.get(mask).symbol });
}

// The arithmetic of a step: of its cell, or if it has several, of the largest number.
/** @param {Trace} trace @param {Phase} phase @param {Moment} moment @param {number} query @returns {string} */
export function numbersOf(trace, phase, { step }, query) {
  const { name, kind, stage, steps, columns } = phase;
  if (kind === "mix") return weighted(trace, phase, steps[step], query);
  const value = (/** @type {number} */ column) => valueAt(trace.matrices[name], query, column);
  const largest = columns.reduce((most, column) => (value(column) > value(most) ? column : most), columns[0]);
  if (kind === "shares" && step === 0) return exponential(trace, stage.sources[0], columns, largest, query);
  const column = kind === "scale" || kind === "shares" ? largest : steps[step];
  const explained = explain(trace, { matrix: name, row: query, column });
  if (kind === "shares") return `${nameOf(stage, query, column)} = ${explained.steps.slice(-2).join(" ")}`
    .replace(/= (?=[=≈→])/, "");
  return `${nameOf(stage, query, column)} = ${explained.numbers}`;
}

// The arithmetic of a score's exponential. Scores are first lowered by the largest one, as in the rule, unless that is
// small enough to do without.
/** @param {Trace} trace @param {string} scores @param {number[]} columns @param {number} column
 *  @param {number} query */
function exponential(trace, scores, columns, column, query) {
  const largest = Math.max(...columns.map((key) => valueAt(trace.matrices[scores], query, key)));
  const lowered =
    valueAt(trace.matrices[scores], query, column) - (Math.abs(largest) <= CONSTANTS.READABLE ? 0 : largest);
  const [text, power] = [written(lowered, trace.digits), written(Math.exp(lowered), trace.digits)];
  return `exp(${text}) ${sign(decimalOf(Math.exp(numberOf(text))), power)} ${power}`;
}

// The arithmetic of one term of a mix: an attention weight times a row of the right factor.
/** @param {Trace} trace @param {Phase} phase @param {number} key @param {number} query */
function weighted(trace, { stage }, key, query) {
  const [left, right] = stage.sources;
  const { columns } = trace.matrices[right];
  const weight = valueAt(trace.matrices[left], query, key);
  const write = (/** @type {number} */ value) => written(value, trace.digits);
  const row = Array.from({ length: Math.min(TOLD, columns) },
    (_, column) => valueAt(trace.matrices[right], key, column));
  const [factors, products] = [row.map(write), row.map((value) => write(weight * value))];
  const between = signOfAll(factors.map((text) => productOf([decimal(write(weight)), decimal(text)])), products);
  const listed = (/** @type {string[]} */ texts) =>
    (columns === 1 ? grouped(texts[0]) : `(${[...texts, ...(columns > TOLD ? ["…"] : [])].join(", ")})`);
  const named = `${nameOf(trace.stages.get(left), query, key)} × ${nameOf(trace.stages.get(right), key, ":")}`;
  return `${named} = ${write(weight)} × ${listed(factors)} ${between} ${listed(products)}`;
}
