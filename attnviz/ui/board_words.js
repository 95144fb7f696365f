// How a cell is made, in symbols, in numbers and in words: what explanation/rules.py says of torch's numbers, said
// in the page, so that it follows while a cell is dragged. A test holds every text to that of `attnviz.explain`.
// `made` holds { stages, matrices, settings, tokens, digits, origins, before }; a place is { matrix, row, column }.

export function explain(made, place) {
  const cell = cellOf(made, place);
  const rule = cell.stage.rule === "given" ? given(cell) : { ...worked(made, place), ...SAID[cell.stage.rule](cell) };
  const name = nameOf(cell.stage, place.row, place.column, made);
  const value = cell.write(cell.value);
  const notes = [rule.trouble, remark(cell, rule)].filter(Boolean);
  const rounded = rule.steps.some((step) => step.startsWith("≈"));
  const numbers = rule.steps.join(" ") + (rounded ? " (rounded)" : "");
  const where = placeInWords(made, place);
  const how = rule.symbols ? `${rule.words}: ${numbers}.` : `${rule.words}.`;
  return {
    where, name, value, steps: rule.steps, rounded, words: rule.words, notes,
    symbols: rule.symbols ? `${name} = ${rule.symbols}` : name,
    text: [`${where}: ${name} is ${value}.`, how, ...notes].join(" "),
  };
}

// Where a cell is: its matrix, row and column.
export function placeInWords(made, place) {
  const cell = cellOf(made, place);
  return `${cell.stage.title}, ${cell.place}`;
}

function cellOf(made, { matrix, row, column }) {
  const stage = made.stages.get(matrix);
  const label = (axis, index) => {
    const kind = stage[axis];
    if (kind === "feature") return `${stage.rows === "feature" ? axis.slice(0, -1) : kind} ${index}`;
    return `${kind} ${index}${index < made.tokens.length ? ` '${made.tokens[index]}'` : ""}`;
  };
  const [ofRow, ofColumn] = [label("rows", row), label("columns", column)];
  return {
    made, stage, row, column, ofRow, ofColumn,
    place: isBias(stage, made) ? ofColumn : `${ofRow}, ${ofColumn}`,
    value: valueAt(made.matrices[matrix], row, column),
    later: made.settings.causal && column > row,
    write: (value) => written(value, made.digits),
  };
}

function isBias(stage, made) {
  return [...made.stages.values()].some((other) => other.bias === stage.name);
}

function nameOf(stage, row, column, made) {
  return `${stage.symbol}[${isBias(stage, made) ? column : `${row}, ${column}`}]`;
}

function namedCell({ made }, { matrix, row, column }) {
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
  const words = before === undefined ? `Given: ${how}` : `Given: edited, in place of ${cell.write(before)}, ${how}`;
  return { symbols: "", steps: [cell.write(cell.value)], words, trouble: "", exact: cell.value, tolerance: 0 };
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

function remark(cell, rule) {
  const { value } = cell;
  if (!mayBe(value, rule)) {
    return `The numbers of the trace give ${cell.write(rule.exact)} here: more than the rounding of ${FLOAT32.name} explains.`;
  }
  if (value === 0 && rule.exact !== 0 && Math.abs(rule.exact) < FLOAT32.tiny) {
    return `${cell.write(rule.exact)} is too small for ${FLOAT32.name}, which holds 0 instead.`;
  }
  return "";
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
  const line = cell.stage.transposed ? "row" : "column";
  const [first, second, ...biases] = blocks;
  return {
    symbols: [`${namedBlock(cell, first)} · ${namedBlock(cell, second)}`, ...biases.map((block) => namedBlock(cell, block))].join(" + "),
    steps,
    words:
      `Row ${cell.row} of ${symbolOf(first)} times ${line} ${cell.column} of ${symbolOf(second)}: ` +
      `the sum of ${counted(products.length, "product")}${added.length ? " and the bias" : ""}`,
    trouble: Number.isFinite(cell.value) ? "" : troubleOfProduct(cell, [...products, ...added]),
  };
}

function placeOfCell({ stage, row, column }) {
  return { matrix: stage.name, row, column };
}

function factorsOf(cell, term) {
  if (!term.factors.length) return [`(and ${term.count} more: ${cell.write(term.value)})`];
  const texts = term.factors.map((factor) => cell.write(factor.value));
  return texts.length === 1 ? texts : texts.map((text) => (text.startsWith("−") ? `(${text})` : text));
}

function largestFloat(cell) {
  return `the largest ${FLOAT32.name}, ${cell.write(FLOAT32.max)}`;
}

function troubleOfProduct(cell, terms) {
  let noNumber = Number.isNaN(cell.value) ? ", and ∞ − ∞ is no number" : "";
  const broken = terms.flatMap((term) => term.factors).filter((factor) => !Number.isFinite(factor.value));
  if (broken.length) {
    if (broken.some((factor) => Number.isNaN(factor.value))) noNumber = "";
    else if (terms.some((term) => Number.isNaN(term.value))) noNumber = ", and 0 × ∞ is no number";
    return `${namedCell(cell, broken[0])} is ${cell.write(broken[0].value)} already${noNumber}.`;
  }
  const over = terms.filter((term) => Math.abs(term.value) > FLOAT32.max);
  if (!over.length) return `No term is beyond ${largestFloat(cell)}, but on its way the sum is${noNumber}.`;
  const worst = over.reduce((most, term) => (Math.abs(term.value) > Math.abs(most.value) ? term : most));
  const arithmetic = `${factorsOf(cell, worst).join(" × ")} = ${cell.write(worst.value)}`;
  const others = over.length - 1;
  const more = others ? `, and so ${others === 1 ? "does" : "do"} ${others} more of the ${terms.length} terms` : "";
  const infinite = worst.value < 0 ? "−∞" : "∞";
  return `${arithmetic} is beyond ${largestFloat(cell)}, and becomes ${infinite}${more}${noNumber}.`;
}

function saidScale(cell) {
  const { score, unmasked } = worked(cell.made, placeOfCell(cell));
  const { scale: scaled, temperature, divisor, dK } = cell.made.settings;
  const [roots, cooled] = [scaled ? [dK] : [], temperature === 1 ? [] : [temperature]];
  const [numerator, value] = [cell.write(score.value), cell.write(cell.later ? unmasked : cell.value)];
  const denominator = roots.length + cooled.length ? cell.write(divisor) : "1";
  const steps = [quotient(numerator, [...roots.map((d) => `√${d}`), ...cooled.map(cell.write)], " × ")];
  if (scaled) {
    const displayed = productOf([rootOf(dK), ...cooled.map((t) => decimal(cell.write(t)))]);
    steps.push(`${sign(displayed, denominator)} ${numerator} / ${denominator}`);
  }
  steps.push(`${sign(ratioOf(decimal(numerator), decimal(denominator)), value)} ${value}`);

  const source = namedCell(cell, score);
  const names = [
    ...roots.map((d) => `√d_k = √${d} = ${cell.write(Math.sqrt(d))} (d_k = ${d}: a score is a sum of ${counted(d, "product")})`),
    ...cooled.map(() => `the temperature ${cell.made.settings.temperatureText}`),
  ];
  let words = names.length ? `${source} divided by ${names.join(" and by ")}` : `${source} as it is, unscaled`;
  let symbols = quotient(source, [...roots.map(() => "√d_k"), ...cooled.map(() => cell.made.settings.temperatureText)]);
  let trouble = "";
  if (!Number.isFinite(score.value)) trouble = `${source} is ${numerator} already.`;
  else if (!Number.isFinite(cell.value) && !cell.later) trouble = `The quotient is beyond ${largestFloat(cell)}.`;
  if (cell.later) {
    steps.push("→ −∞ (masked)");
    symbols = "−∞ (masked)";
    const order = `${cell.ofColumn} comes after ${cell.ofRow}`;
    words = `Masked: ${order}, and a token may not attend to a later one. Unmasked it would be ${words}`;
  }
  return { symbols, steps, words, trouble };
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

  const score = row[cell.column];
  let words = `The exp of ${namedCell(cell, score)} over the sum of the exps of its row (${counted(row.length, "term")})`;
  const lowered = shift === 0 ? "" : " − m"; // also where the largest is no number
  if (lowered) {
    const [before, most, after] = [score.value, shift, score.value - shift].map(cell.write);
    words += `. ${namedCell(cell, score)} is ${before}; m = ${most}, the largest of the row, is taken from each of the row first`;
    const left = sumOf([decimal(before), decimal(cell.write(-shift))]);
    if (left && sign(left, after) === "≈") words += ` (${before} less ${most} is ${after}, rounded)`;
    words += Number.isFinite(shift) ? ": that changes no quotient, and no exp overflows" : "";
  }
  if (cell.later) words += ". Masked: a token may not attend to a later one, and exp(−∞) = 0";
  return {
    symbols: `exp(${namedCell(cell, score)}${lowered}) / Σ_j exp(${namedCell(cell, { ...score, column: "j" })}${lowered})`,
    steps,
    words,
    trouble: Number.isFinite(cell.value) ? "" : troubleOfSoftmax(cell, row),
  };
}

function troubleOfSoftmax(cell, row) {
  const broken = row.find(({ value }) => Number.isNaN(value) || value === Infinity);
  if (!broken) return "The row has no finite score: 0 / 0 is no number.";
  const noNumber = Number.isNaN(broken.value) ? "" : ", and ∞ − ∞ is no number";
  return `${namedCell(cell, broken)} is ${cell.write(broken.value)} already${noNumber}: the whole row is undefined.`;
}

function numberOf(displayed) {
  return Number(displayed.replaceAll("−", "-").replace("∞", "Infinity"));
}
