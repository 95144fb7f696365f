// The product of two matrices, plus a bias for each column if there is one; see core/rules/product.py.


/** @param {Settings} settings @param {Matrix} left @param {Matrix} right @param {Matrix} [bias] */
export function compute({ transposed, cosine, typed }, left, right, bias) {
  if (cosine) return null;
  const [rows, inner, columns] = [left.rows, left.columns, transposed ? right.rows : right.columns];
  const [start, step] = transposed ? [right.columns, 1] : [1, right.columns];
  const values = new Float64Array(rows * columns);
  // Plain loops over plain arrays, fast enough to run during a drag for a thousand tokens.
  const [a, b] = [left.values, right.values];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let sum = bias ? bias.values[column] : 0;
      for (let i = 0, from = row * inner, at = column * start; i < inner; i += 1, from += 1,
        at += step) sum += a[from] * b[at];
      values[row * columns + column] = Math.fround(sum);
    }
  }
  for (const [row, column, number] of typed) values[row * columns + column] = number;
  return { rows, columns, values };
}
