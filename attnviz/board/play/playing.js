// What is said while a row is played: what happens, and the numbers at hand.

import { grouped, nameOf, pieceNamed } from "../cells/cell.js";
import { decimalOf, sign, signOfAll, productOf, decimal } from "../values/decimals.js";
import { explain } from "../values/explain.js";
import { valueAt } from "../values/matrices.js";
import { numberOf, written } from "../values/numbers.js";
import { dividedBy } from "../spine/sayings.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { Made } from "../types.js" */
/** @import { Moment, Phase } from "../spine/types.js" */

const TOLD = 4; // numbers of a row

// What happens to a token's row in a phase of its play.
/** @param {Made} made @param {Phase} phase @param {Moment} moment @param {number} query */
export function playing({ names, readNames, stages }, { stage, kind, steps }, moment, query) {
  const token = pieceNamed(stage, query, names);
  const [left, right, bias] = stage.sources.map((name) => stages.get(name).symbol);
  if (kind === "scores") return say(steps.length < readNames.length ? "board.play.scores_masked" : "board.play.scores", { token });
  if (kind === "scale") return dividedBy(stage.settings) ? say("board.play.scale", { by: dividedBy(stage.settings) }) : say("board.play.masked");
  if (kind === "shares") return say(moment.step === 0 ? "board.play.exponentials" : "board.play.shares");
  if (kind === "mix") return say("board.play.mix", { token, right, made: stage.symbol });
  if (kind === "other") return say("board.play.other", { token, made: stage.symbol });
  return say(bias ? "board.play.vector_bias" : "board.play.vector", { token, left, right, bias: bias ?? "", made: stage.symbol });
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
