// What is said while a row is played: what happens, and the numbers at hand.

import { grouped, nameOf, pieceNamed } from "../cells/cell.js";
import { decimalOf, sign, signOfAll, productOf, decimal } from "../values/decimals.js";
import { explain } from "../values/explain.js";
import { valueAt } from "../values/matrices.js";
import { numberOf, written } from "../values/numbers.js";
import { dividedBy } from "../spine/sayings.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { Made, Stage } from "../types.js" */
/** @import { Moment, Phase } from "../spine/types.js" */

const TOLD = 4; // numbers of a row

// What happens to a token's row in a phase of its play.
/** @param {Made} made @param {Phase} phase @param {Moment} moment @param {number} query */
export function playing(made, phase, moment, query) {
  const { kind, stage } = phase;
  const token = pieceNamed(stage, query, made.names);
  if (kind === "scores") return met(made, phase, token);
  if (kind === "scale") return scaled(made, phase, query);
  if (kind === "shares") return moment.step === 0 ? say("board.play.exponentials") : shares(made, stage);
  if (kind === "other") return say("board.play.other", { token, made: stage.symbol });
  const [left, factor, bias] = stage.sources.map((name) => made.stages.get(name).symbol);
  const right = kind === "vector" && stage.settings.transposed ? say("board.matrix.transposed", { symbol: factor }) : factor;
  if (kind === "mix") return say("board.play.mix", { token, right, made: stage.symbol });
  return say(bias ? "board.play.vector_bias" : "board.play.vector", { token, left, right, bias: bias ?? "", made: stage.symbol });
}

// The keys that a query meets: one, where only one is asked for, or those that aren't hidden from it.
/** @param {Made} made @param {Phase} phase @param {string} token */
function met(made, { stage, columns, only }, token) {
  if (only) return say("board.play.score", { token, other: pieceNamed(stage, columns[0], made.readNames) });
  return say(columns.length < made.matrices[stage.name].columns ? "board.play.scores_masked" : "board.play.scores", { token });
}

// What scores are divided by, what is added to them or multiplied with them in this row, and whether some are skipped.
/** @param {Made} made @param {Phase} phase @param {number} query */
function scaled(made, { stage, columns }, query) {
  const by = dividedBy(stage.settings);
  const [, mask] = stage.sources;
  const counts = mask && columns.some((column) => valueAt(made.matrices[mask], query, column) !== 0);
  return [
    by ? say("board.play.scale", { by }) : say("board.play.undivided"),
    ...(counts ? [say(`board.play.${stage.settings.factor ? "times" : "plus"}`, { symbol: made.stages.get(mask).symbol })] : []),
    ...(columns.length < made.matrices[stage.name].columns ? [say("board.play.skipped")] : []),
  ].join(" ");
}

// What exponentials are divided by; where the mask comes after that, what it does to the shares.
/** @param {Made} made @param {Stage} stage */
function shares(made, { settings, sources: [, mask] }) {
  if (!mask) return say("board.play.shares");
  return say(settings.shared ? "board.play.shares_renormalized" : "board.play.shares_zeroed", { symbol: made.stages.get(mask).symbol });
}

// The numbers of a step: those of its cell, or where it has several, of the largest.
/** @param {Made} made @param {Phase} phase @param {Moment} moment @param {number} query @returns {string} */
export function numbersOf(made, phase, { step }, query) {
  const { name, kind, stage, steps, columns } = phase;
  if (kind === "mix") return weighted(made, phase, steps[step], query);
  const value = (/** @type {number} */ column) => valueAt(made.matrices[name], query, column);
  const largest = columns.reduce((most, column) => (value(column) > value(most) ? column : most), columns[0]);
  if (kind === "shares" && step === 0) return exponential(made, stage.sources[0], columns, largest, query);
  const column = kind === "scale" || kind === "shares" ? largest : steps[step];
  const explained = explain(made, { matrix: name, row: query, column });
  if (kind === "shares") return [nameOf(stage, query, column), ...explained.steps.slice(-2)].join(" ");
  return `${nameOf(stage, query, column)} = ${explained.numbers}`;
}

// A score's exponential, lowered by the largest score as the rule does it.
/** @param {Made} made @param {string} scores @param {number[]} columns @param {number} column @param {number} query */
function exponential(made, scores, columns, column, query) {
  const largest = Math.max(...columns.map((key) => valueAt(made.matrices[scores], query, key)));
  const lowered = valueAt(made.matrices[scores], query, column) - (Math.abs(largest) <= CONSTANTS.READABLE ? 0 : largest);
  const [text, power] = [written(lowered, made.digits), written(Math.exp(lowered), made.digits)];
  return `exp(${text}) ${sign(decimalOf(Math.exp(numberOf(text))), power)} ${power}`;
}

// A row of the right factor times its weight.
/** @param {Made} made @param {Phase} phase @param {number} key @param {number} query */
function weighted(made, { stage }, key, query) {
  const [left, right] = stage.sources;
  const { columns } = made.matrices[right];
  const weight = valueAt(made.matrices[left], query, key);
  const write = (/** @type {number} */ value) => written(value, made.digits);
  const row = Array.from({ length: Math.min(TOLD, columns) }, (_, column) => valueAt(made.matrices[right], key, column));
  const [factors, products] = [row.map(write), row.map((value) => write(weight * value))];
  const between = signOfAll(factors.map((text) => productOf([decimal(write(weight)), decimal(text)])), products);
  const listed = (/** @type {string[]} */ texts) => (columns === 1 ? grouped(texts[0]) : `(${[...texts, ...(columns > TOLD ? ["…"] : [])].join(", ")})`);
  const named = `${nameOf(made.stages.get(left), query, key)} × ${nameOf(made.stages.get(right), key, ":")}`;
  return `${named} = ${write(weight)} × ${listed(factors)} ${between} ${listed(products)}`;
}
