// What a cell should be: what its rule gives in float64 from the numbers it is made from, and how far the roundings of
// float32 may be from it. Each cell of a board is judged after each change, so these take numbers, not cells.

const READABLE = 9; // exp of up to this stands in fixed digits; a row beyond it is shifted by its largest
const FAR = 1000; // exp of this far below is 0 at every precision
const FLOAT32 = { name: "float32", max: (2 - 2 ** -23) * 2 ** 127, eps: 2 ** -23, tiny: 2 ** -126 };

// A sum of products, with the bias, if there is one.
function expectedSum(products, bias = []) {
  const terms = [...products, ...bias];
  return { exact: total(terms), tolerance: tolerance(total(terms.map(Math.abs)), products.length + 2) };
}

function expectedQuotient(score, { row, column }, { divisor, causal }) {
  const unmasked = score / divisor;
  if (causal && column > row) return { exact: -Infinity, unmasked, tolerance: 0 };
  return { exact: unmasked, unmasked, tolerance: tolerance(Math.abs(unmasked), 4) };
}

// A softmax of these scores, at one column.
function expectedShare(scores, column) {
  const largest = Math.max(...scores);
  const shift = Math.abs(largest) <= READABLE ? 0 : largest;
  const powers = scores.map((score) => Math.exp(score - shift));
  const divisor = total(powers);
  const exact = divisor === 0 ? NaN : powers[column] / divisor;
  // The error of an exponent is relative to the exponent: far below the largest it counts more, and weighs less.
  const distances = scores.map((score) => Math.min(Math.abs(score - shift), FAR));
  const spread = total(powers.map((power, i) => power * distances[i])) / (divisor || 1);
  const roundings = distances[column] + spread + scores.length + 8;
  return { powers, shift, divisor, exact, tolerance: tolerance(exact, roundings) };
}

function tolerance(size, roundings) {
  if (!(size <= FLOAT32.max * (1 - FLOAT32.eps))) return Infinity;
  return roundings * (FLOAT32.eps * size + FLOAT32.tiny);
}

// Whether the roundings of float32 explain a value that should be `exact`.
export function mayBe(value, { exact, tolerance: most }) {
  return Number.isFinite(value) ? Math.abs(exact - value) <= most : most === Infinity || exact === value;
}

// How far torch's matrices are from the page's own evaluation, and the first cell that the roundings of float32
// do not explain: each is judged by torch's own numbers of the cells that it is made from.
export function difference(made, given) {
  const own = evaluate([...made.stages.values()], given, made.settings);
  let largest = 0;
  let within = 0; // the number in which it is
  let unexplained = null;
  for (const stage of made.stages.values()) {
    if (stage.rule === "given") continue;
    const { columns, values } = made.matrices[stage.name];
    values.forEach((value, at) => {
      const gap = Math.abs(value - own[stage.name].values[at]);
      if (Number.isFinite(value) && gap > largest) [largest, within] = [gap, value];
      const place = { matrix: stage.name, row: Math.floor(at / columns), column: at % columns };
      if (unexplained || mayBe(value, expected(stage, made, place))) return;
      unexplained = place;
      if (!Number.isFinite(gap)) largest = Infinity; // one of the two is no finite number
    });
  }
  return { largest, within, unexplained };
}

function expected(stage, { matrices, settings }, place) {
  const [first, second] = stage.sources.map((name) => matrices[name]);
  const { row, column } = place;
  switch (stage.rule) {
    case "product": {
      const [start, step] = stage.transposed ? [column * second.columns, 1] : [column, second.columns];
      const line = lineOf(first, row);
      const bias = stage.bias && matrices[stage.bias];
      return expectedSum(line.map((value, i) => value * second.values[start + i * step]), bias ? [bias.values[column]] : []);
    }
    case "scale":
      return expectedQuotient(valueAt(first, row, column), place, settings);
    default:
      return expectedShare(lineOf(first, row), column);
  }
}

function lineOf({ columns, values }, row) {
  return values.subarray(row * columns, (row + 1) * columns);
}
