// The table of stages, evaluated in the page: four generic rules, so that every matrix follows a cell while it
// is dragged. The numbers that count are torch's; the board compares the two after every change.
// A matrix is { rows, columns, values }, its values row by row; each is a float32, as in torch, made from sums in
// float64, so that what overflows there overflows here.

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
      values[row * columns + column] = Math.fround(sum);
    }
  }
  return { rows, columns, values };
}

function scale(stage, matrices, settings) {
  const scores = matrices[stage.sources[0]];
  const values = scores.values.map((score, at) => {
    const masked = settings.causal && at % scores.columns > Math.floor(at / scores.columns);
    return masked ? -Infinity : Math.fround(score / settings.divisor);
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
      values[row * columns + column] = Math.fround(each / sum);
    });
  }
  return { rows, columns, values };
}

// The cells that a cell is made from, as a list for each of its sources of { matrix, row, column }.
export function sourcesOf(stage, row, column, matrices) {
  const [first, second] = stage.sources;
  const line = (name, at) => range(matrices[name].columns, (i) => ({ matrix: name, row: at, column: i }));
  switch (stage.rule) {
    case "product": {
      const other = stage.transposed
        ? line(second, column)
        : range(matrices[second].rows, (i) => ({ matrix: second, row: i, column }));
      const bias = stage.bias && matrices[stage.bias] ? [[{ matrix: stage.bias, row: 0, column }]] : [];
      return [line(first, row), other, ...bias];
    }
    case "scale":
      return [[{ matrix: first, row, column }]];
    case "softmax":
      return [line(first, row)];
    default:
      return [];
  }
}

export function valueAt({ columns, values }, row, column) {
  return values[row * columns + column];
}

function range(length, make) {
  return Array.from({ length }, (_, i) => make(i));
}
