// The table of stages, evaluated in the page: four generic rules, so that every matrix follows a cell while it
// is dragged. The numbers that count are torch's; the board compares the two after every change.
// A matrix is { rows, columns, values }, its values row by row.

export function evaluate(stages, given, settings) {
  const matrices = { ...given };
  for (const stage of stages) {
    if (stage.rule !== "given") matrices[stage.name] = RULES[stage.rule](stage, matrices, settings);
  }
  return matrices;
}

const RULES = { product, scale, softmax };

function product(stage, matrices) {
  const [left, right] = stage.sources.map((name) => matrices[name]);
  const bias = stage.bias ? matrices[stage.bias] : undefined;
  const rows = left.rows;
  const columns = stage.transposed ? right.rows : right.columns;
  const values = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let sum = bias ? bias.values[column] : 0;
      for (let i = 0; i < left.columns; i += 1) {
        const other = stage.transposed ? column * right.columns + i : i * right.columns + column;
        sum += left.values[row * left.columns + i] * right.values[other];
      }
      values[row * columns + column] = sum;
    }
  }
  return { rows, columns, values };
}

function scale(stage, matrices, settings) {
  const scores = matrices[stage.sources[0]];
  const values = scores.values.map((score, at) => {
    const masked = settings.causal && at % scores.columns > Math.floor(at / scores.columns);
    return masked ? -Infinity : score / settings.divisor;
  });
  return { rows: scores.rows, columns: scores.columns, values };
}

function softmax(stage, matrices) {
  const { rows, columns, values: scores } = matrices[stage.sources[0]];
  const values = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    const line = scores.subarray(row * columns, (row + 1) * columns);
    const largest = Math.max(...line);
    const exps = line.map((score) => Math.exp(score - largest));
    const sum = exps.reduce((total, each) => total + each, 0);
    exps.forEach((each, column) => {
      values[row * columns + column] = each / sum;
    });
  }
  return { rows, columns, values };
}

// The cells that a cell is made from, as { matrix, row, column }.
export function sourcesOf(stage, row, column, matrices) {
  const [first, second] = stage.sources;
  const line = (name, at) => range(matrices[name].columns, (i) => ({ matrix: name, row: at, column: i }));
  switch (stage.rule) {
    case "product": {
      const other = stage.transposed
        ? line(second, column)
        : range(matrices[second].rows, (i) => ({ matrix: second, row: i, column }));
      const bias = stage.bias && matrices[stage.bias] ? [{ matrix: stage.bias, row: 0, column }] : [];
      return [...line(first, row), ...other, ...bias];
    }
    case "scale":
      return [{ matrix: first, row, column }];
    case "softmax":
      return line(first, row);
    default:
      return [];
  }
}

// The largest difference of two sets of matrices, and whether float32 explains it. A sum of products in float32
// errs by its precision times the size of its terms, which the largest number of a matrix family bounds.
export function difference(stages, ours, theirs) {
  let largest = 0;
  let explained = true;
  for (const stage of stages) {
    if (stage.rule === "given") continue;
    const mine = ours[stage.name].values;
    const other = theirs[stage.name].values;
    const size = stage.sources.reduce((most, name) => most * Math.max(1, largestOf(theirs[name])), 1);
    for (let at = 0; at < mine.length; at += 1) {
      if (Number.isNaN(other[at]) || !Number.isFinite(other[at])) continue; // overflow: float32's own
      const gap = Math.abs(mine[at] - other[at]);
      largest = Math.max(largest, gap);
      if (!(gap <= 2e-5 * Math.max(1, size))) explained = false;
    }
  }
  return { largest, explained };
}

function largestOf(matrix) {
  return matrix.values.reduce((most, each) => (Number.isFinite(each) ? Math.max(most, Math.abs(each)) : most), 0);
}

function range(length, make) {
  return Array.from({ length }, (_, i) => make(i));
}

// A number as the page writes it everywhere: fixed digits, or powers of ten where these would not do.
export function written(value, digits) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const fixed = size === 0 || (size >= 10 ** -digits && size < 1e4);
  const text = fixed ? value.toFixed(digits) : value.toExponential(Math.min(digits, 2)).replace(/e([+-])(\d)$/, "e$10$2");
  return text.replace("-", "−").replace("e-", "e−");
}
