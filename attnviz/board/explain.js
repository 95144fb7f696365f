// How a cell is made, in symbols, in numbers and in words: what explanation/rules.py says of torch's numbers, said
// in the page, so that it follows while a cell is dragged. A test holds every text to that of `attnviz.explain`.
// `made` holds { stages, matrices, settings, tokens, digits, origins, before }; a place is { matrix, row, column }.

import { expectedQuotient, expectedShare, expectedSum, FLOAT32, mayBe } from "./bounds.js";
import { decimal, decimalOf, productOf, ratioOf, rootOf, sign, signOfAll, sumOf } from "./decimals.js";
import { sourcesOf, valueAt } from "./evaluate.js";
import { written } from "./numbers.js";
import { inSum, quotient, shortened } from "./terms.js";
import { say } from "../scripts/sentences.js";

export function explain(made, place) {
  const cell = cellOf(made, place);
  const rule = cell.stage.rule === "given" ? given(cell) : { ...worked(made, place), ...SAID[cell.stage.rule](cell) };
  const name = nameOf(cell.stage, place.row, place.column, made);
  const value = cell.write(cell.value);
  const notes = [...rule.notes, ...remarks(cell, rule)];
  const numbers = numbersOf(rule.steps);
  const where = placeInWords(made, place);
  const { words } = rule;
  const how = rule.symbols ? say("explanation.made", { words, numbers }) : say("explanation.only", { words });
  return {
    where, name, value, steps: rule.steps, numbers, words, notes,
    symbols: rule.symbols ? `${name} = ${rule.symbols}` : name,
    text: [say("explanation.is", { where, cell: name, value }), how, ...notes].join(" "),
  };
}

function numbersOf(steps) {
  const numbers = steps.join(" ");
  return steps.some((step) => step.startsWith("≈")) ? say("explanation.rounded", { numbers }) : numbers;
}

// Where a cell is: its matrix, row and column.
export function placeInWords(made, place) {
  const cell = cellOf(made, place);
  return say("explanation.where", { matrix: cell.stage.title, place: cell.place });
}

function cellOf(made, { matrix, row, column }) {
  const stage = made.stages.get(matrix);
  const label = (axis, index) => {
    const kind = stage[axis];
    if (kind === "feature") return lineNamed(stage.rows === "feature" ? axis.slice(0, -1) : kind, index);
    const line = lineNamed(kind, index);
    return index < made.tokens.length ? say("explanation.line.called", { line, token: made.tokens[index] }) : line;
  };
  const [ofRow, ofColumn] = [label("rows", row), label("columns", column)];
  return {
    made, stage, row, column, ofRow, ofColumn,
    place: isBias(stage, made) ? ofColumn : say("explanation.place", { row: ofRow, column: ofColumn }),
    value: valueAt(made.matrices[matrix], row, column),
    later: made.settings.causal && column > row,
    write: (value) => written(value, made.digits),
  };
}

// A row or a column by what it stands for: "query 1".
function lineNamed(kind, index) {
  return say(`explanation.line.${kind}`, { index });
}

function isBias(stage, made) {
  return [...made.stages.values()].some((other) => other.bias === stage.name);
}

function nameOf(stage, row, column, made) {
  return `${stage.symbol}[${isBias(stage, made) ? column : `${row}, ${column}`}]`;
}

export function namedCell({ made }, { matrix, row, column }) {
  return nameOf(made.stages.get(matrix), row, column, made);
}

// A row or column of sources in symbols, as in X[1, :].
function namedBlock(cell, block) {
  const only = (key) => (block.every((each) => each[key] === block[0][key]) ? block[0][key] : ":");
  return namedCell(cell, { matrix: block[0].matrix, row: only("row"), column: only("column") });
}

function given(cell) {
  const { made, stage, row, column } = cell;
  const origin = made.origins[stage.name];
  const before = made.before[`${stage.name},${row},${column}`];
  const how = origin[Math.min(row, origin.length - 1)];
  const words =
    before === undefined
      ? say("explanation.given.origin", { origin: how })
      : say("explanation.given.edited", { before: cell.write(before), origin: how });
  return { symbols: "", steps: [cell.write(cell.value)], words, notes: [], exact: cell.value, tolerance: 0 };
}

// ---- a cell's sources and what they give ----

export function worked(made, place) {
  const stage = made.stages.get(place.matrix);
  const blocks = sourcesOf(stage, place.row, place.column, made.matrices);
  for (const source of blocks.flat()) source.value = valueAt(made.matrices[source.matrix], source.row, source.column);
  return WORKED[stage.rule](blocks, place, made.settings);
}

const WORKED = {
  product([first, second, bias]) {
    const products = first.map((a, i) => ({ value: a.value * second[i].value, factors: [a, second[i]], count: 1 }));
    const added = (bias ?? []).map((each) => ({ value: each.value, factors: [each], count: 1 }));
    const [values, more] = [products, added].map((terms) => terms.map(({ value }) => value));
    return { blocks: [first, second, ...(bias ? [bias] : [])], products, added, ...expectedSum(values, more) };
  },

  scale([[score]], place, settings) {
    return { score, ...expectedQuotient(score.value, place, settings) };
  },

  softmax([row], place) {
    const { powers, ...expected } = expectedShare(row.map(({ value }) => value), place.column);
    return { row, exps: row.map((score, i) => ({ value: powers[i], factors: [score], count: 1 })), ...expected };
  },
};

function remarks(cell, rule) {
  const { value } = cell;
  const said = { exact: cell.write(rule.exact), dtype: FLOAT32.name };
  if (!mayBe(value, rule)) return [say("explanation.trouble.disagrees", said)];
  const vanished = value === 0 && rule.exact !== 0 && Math.abs(rule.exact) < FLOAT32.tiny;
  return vanished ? [say("explanation.trouble.too_small", said)] : [];
}

// ---- the rules in symbols, numbers and words ----

const SAID = { product: saidProduct, scale: saidScale, softmax: saidSoftmax };

function saidProduct(cell) {
  const { blocks, products, added } = worked(cell.made, placeOfCell(cell));
  const terms = [...shortened(products), ...added];
  const factors = terms.map((term) => factorsOf(cell, term));
  const values = terms.map((term) => cell.write(term.value));
  const value = cell.write(cell.value);
  const displayed = terms.map((term, i) =>
    term.factors.length ? productOf(factors[i].map((text) => decimal(text.replace(/[()]/g, "")))) : decimal(values[i]),
  );
  const steps = [inSum(factors.map((texts) => texts.join(" × ")))];
  if (terms.length > 1) {
    steps.push(`${signOfAll(displayed, values)} ${inSum(values)}`);
    steps.push(`${sign(sumOf(values.map(decimal)), value)} ${value}`);
  } else {
    steps.push(`${sign(displayed[0], value)} ${value}`);
  }
  const symbolOf = (block) => cell.made.stages.get(block[0].matrix).symbol;
  const [first, second, ...biases] = blocks;
  return {
    symbols: [`${namedBlock(cell, first)} · ${namedBlock(cell, second)}`, ...biases.map((block) => namedBlock(cell, block))].join(" + "),
    steps,
    words: say(added.length ? "explanation.product.with_bias" : "explanation.product.sum", {
      n: products.length,
      first: multipliedRow(cell, first, cell.row),
      a: symbolOf(first),
      second: cell.stage.transposed ? multipliedRow(cell, second, cell.column) : lineNamed("column", cell.column),
      b: symbolOf(second),
    }),
    notes: Number.isFinite(cell.value) ? [] : troubleOfProduct(cell, [...products, ...added]),
  };
}

// A row of a source by its token, told apart from others of the same text; by its number, without one.
function multipliedRow({ made: { stages, tokens } }, block, index) {
  const token = tokens[index];
  if (stages.get(block[0].matrix).rows === "feature" || token === undefined) return lineNamed("row", index);
  const stands = tokens.filter((other) => other === token).length;
  return say("explanation.line.of_token", { token: stands > 1 ? `${token} (${index})` : token });
}

function placeOfCell({ stage, row, column }) {
  return { matrix: stage.name, row, column };
}

function factorsOf(cell, term) {
  if (!term.factors.length) return [say("explanation.step.more", { count: term.count, value: cell.write(term.value) })];
  const texts = term.factors.map((factor) => cell.write(factor.value));
  return texts.length === 1 ? texts : texts.map((text) => (text.startsWith("−") ? `(${text})` : text));
}

function largestFloat(cell) {
  return say("explanation.trouble.largest", { dtype: FLOAT32.name, value: cell.write(FLOAT32.max) });
}

function already(cell, name, value) {
  return say("explanation.trouble.already", { cell: name, value: cell.write(value) });
}

function troubleOfProduct(cell, terms) {
  let noNumber = Number.isNaN(cell.value) ? [say("explanation.trouble.difference")] : [];
  const broken = terms.flatMap((term) => term.factors).filter((factor) => !Number.isFinite(factor.value));
  if (broken.length) {
    if (broken.some((factor) => Number.isNaN(factor.value))) noNumber = [];
    else if (terms.some((term) => Number.isNaN(term.value))) noNumber = [say("explanation.trouble.product")];
    return [already(cell, namedCell(cell, broken[0]), broken[0].value), ...noNumber];
  }
  const over = terms.filter((term) => Math.abs(term.value) > FLOAT32.max);
  if (!over.length) return [say("explanation.trouble.on_the_way", { largest: largestFloat(cell) }), ...noNumber];
  const worst = over.reduce((most, term) => (Math.abs(term.value) > Math.abs(most.value) ? term : most));
  const beyond = say("explanation.trouble.beyond", {
    arithmetic: `${factorsOf(cell, worst).join(" × ")} = ${cell.write(worst.value)}`,
    largest: largestFloat(cell),
    infinite: worst.value < 0 ? "−∞" : "∞",
  });
  const n = over.length - 1;
  const more = n ? [say("explanation.trouble.others_beyond", { n, terms: terms.length })] : [];
  return [beyond, ...more, ...noNumber];
}

// What the scores are divided by: the d_k under the root and the temperature, if they are, in numbers and symbols, and
// in words, empty where by nothing.
function divisorsOf(cell) {
  const { scale: scaled, temperature, temperatureText, dK } = cell.made.settings;
  const [roots, cooled] = [scaled ? [dK] : [], temperature === 1 ? [] : [temperature]];
  const words = [
    ...roots.map((n) => say("explanation.scale.root", { n, root: cell.write(Math.sqrt(n)) })),
    ...cooled.map(() => say("explanation.scale.temperature", { temperature: temperatureText })),
  ];
  return {
    roots, cooled,
    symbols: [...roots.map(() => "√d_k"), ...cooled.map(() => temperatureText)],
    words: words.length === 2 ? say("explanation.scale.both", { root: words[0], temperature: words[1] }) : words.join(""),
  };
}

function saidScale(cell) {
  const { score, unmasked } = worked(cell.made, placeOfCell(cell));
  const { divisor } = cell.made.settings;
  const { roots, cooled, ...by } = divisorsOf(cell);
  const [numerator, value] = [cell.write(score.value), cell.write(cell.later ? unmasked : cell.value)];
  const denominator = roots.length + cooled.length ? cell.write(divisor) : "1";
  const steps = [quotient(numerator, [...roots.map((d) => `√${d}`), ...cooled.map(cell.write)], " × ")];
  if (roots.length) {
    const displayed = productOf([rootOf(roots[0]), ...cooled.map((t) => decimal(cell.write(t)))]);
    steps.push(`${sign(displayed, denominator)} ${numerator} / ${denominator}`);
  }
  steps.push(`${sign(ratioOf(decimal(numerator), decimal(denominator)), value)} ${value}`);

  const source = namedCell(cell, score);
  const words = by.words
    ? say("explanation.scale.divided", { score: source, divisor: by.words })
    : say("explanation.scale.undivided", { score: source });
  let notes = [];
  if (!Number.isFinite(score.value)) notes = [already(cell, source, score.value)];
  else if (!Number.isFinite(cell.value) && !cell.later) notes = [say("explanation.trouble.quotient_beyond", { largest: largestFloat(cell) })];
  if (!cell.later) return { symbols: quotient(source, by.symbols), steps, words, notes };
  const masked = say("explanation.step.masked");
  steps.push(`→ −∞ ${masked}`);
  const why = say("explanation.scale.masked", { key: cell.ofColumn, query: cell.ofRow, words });
  return { symbols: `−∞ ${masked}`, steps, words: why, notes };
}

function saidSoftmax(cell) {
  const { row, exps: all, shift, divisor } = worked(cell.made, placeOfCell(cell));
  const own = all[cell.column];
  const terms = shortened(all, cell.column);
  const expOf = (term) => (term.factors.length ? `exp(${cell.write(term.factors[0].value - shift)})` : factorsOf(cell, term)[0]);
  const [exps, values] = [terms.map(expOf), terms.map((term) => cell.write(term.value))];
  const displayed = terms.map((term, i) =>
    term.factors.length ? decimalOf(Math.exp(numberOf(exps[i].slice(4, -1)))) : decimal(values[i]),
  );
  const [numerator, denominator, value] = [own.value, divisor, cell.value].map(cell.write);
  const steps = [quotient(expOf(own), exps, " + ")];
  let between = signOfAll(displayed, values);
  if (terms.length > 1) {
    steps.push(`${between} ${quotient(numerator, values, " + ")}`);
    between = sign(sumOf(values.map(decimal)), denominator);
  }
  steps.push(`${between} ${numerator} / ${denominator}`);
  steps.push(`${sign(ratioOf(decimal(numerator), decimal(denominator)), value)} ${value}`);

  const seen = seenScores(cell, row);
  if (!seen) return { symbols: "", steps: [value], words: say("explanation.softmax.unshown"), notes: [] };
  const lowered = shift === 0 ? "" : " − m"; // also where the largest is no number
  return {
    symbols: seen.softmax(lowered),
    steps,
    words: say("explanation.softmax.share", { n: row.length, score: seen.name(cell.column) }),
    notes: [
      ...(seen.divisor ? [say("explanation.softmax.divided", { score: seen.of(cell.column), divisor: seen.divisor })] : []),
      ...(lowered ? notesOfShift(cell, row[cell.column], shift, seen) : []),
      ...(cell.later ? [say("explanation.softmax.masked")] : []),
      ...(Number.isFinite(cell.value) ? [] : troubleOfSoftmax(cell, row, seen)),
    ],
  };
}

// The scores of a softmax as they stand on the board: those that it reads, or those that these are divided from; null
// where none do.
function seenScores(cell, row) {
  const matrix = seenScoresOf(cell.made, cell.stage);
  if (!matrix) return null;
  const of = (column) => namedCell(cell, { matrix, row: cell.row, column });
  const by = matrix === row[0].matrix ? { symbols: [], words: "" } : divisorsOf(cell);
  const name = (column) => quotient(of(column), by.symbols);
  const softmax = (lowered) =>
    by.words // no quotient within a quotient
      ? `softmax(${name(":")}${lowered})[${cell.column}]`
      : `exp(${of(cell.column)}${lowered}) / Σ_j exp(${of("j")}${lowered})`;
  return { of, name, softmax, divisor: by.words };
}

function seenScoresOf({ stages, shown }, stage) {
  const read = stages.get(stage.sources[0]);
  if (shown.includes(read.name)) return read.name;
  return read.rule === "scale" && shown.includes(read.sources[0]) ? read.sources[0] : null;
}

// The cells that a cell is made from, as `sourcesOf`; of scaled scores that are not on the board, the scores that these
// are made from.
export function seenSourcesOf(made, { matrix, row, column }) {
  const stage = made.stages.get(matrix);
  const sources = sourcesOf(stage, row, column, made.matrices);
  if (stage.rule !== "softmax") return sources;
  const seen = seenScoresOf(made, stage);
  return seen ? sources.map((block) => block.map((source) => ({ ...source, matrix: seen }))) : [];
}

function notesOfShift(cell, score, shift, seen) {
  const [value, largest, less] = [score.value, shift, score.value - shift].map(cell.write);
  if (!Number.isFinite(shift)) return [say("explanation.softmax.lowered_to_nothing", { largest })];
  const notes = [say("explanation.softmax.lowered", { largest })];
  if (Number.isFinite(score.value)) {
    const left = sumOf([decimal(value), decimal(cell.write(-shift))]);
    const key = sign(left, less) === "=" ? "explanation.softmax.less" : "explanation.softmax.less_rounded";
    notes.push(say(key, { score: seen.name(cell.column), value, less }));
  }
  return notes;
}

function troubleOfSoftmax(cell, row, seen) {
  const undefinedRow = say("explanation.trouble.undefined_row");
  const broken = row.find(({ value }) => Number.isNaN(value) || value === Infinity);
  if (!broken) return [say("explanation.trouble.no_score"), say("explanation.trouble.quotient"), undefinedRow];
  const difference = Number.isNaN(broken.value) ? [] : [say("explanation.trouble.difference")];
  return [already(cell, seen.name(broken.column), broken.value), ...difference, undefinedRow];
}

function numberOf(displayed) {
  return Number(displayed.replaceAll("−", "-").replace("∞", "Infinity"));
}
