// A matrix is { rows, columns, values }, with its values row by row. Each is a float32, as in torch, rounded from sums
// in float64, so that what overflows in torch overflows here.

// Make a matrix by asking `valueOf` for the number of each cell.
/** @param {number} rows @param {number} columns @param {(row: number, column: number) => number} valueOf
 *  @returns {Matrix} */
export function matrixOf(rows, columns, valueOf) {
  const values = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) values[row * columns + column] =
      Math.fround(valueOf(row, column));
  }
  return { rows, columns, values };
}

/** @param {Matrix} matrix @param {number} row @param {number} column */
export function valueAt({ columns, values }, row, column) {
  return values[row * columns + column];
}

// The numbers of a row.
/** @param {Matrix} matrix @param {number} row */
export function lineOf({ columns, values }, row) {
  return values.subarray(row * columns, (row + 1) * columns);
}

// The name of a matrix without the path of its head.
export function baseOf(/** @type {string} */ name) {
  return name.slice(name.lastIndexOf(".") + 1);
}

// Unpacks the matrices that attnviz/board/data.py has packed.

// Unpack matrices. One that was sent in the same form `before` is reused: picking another token changes none of a
// megabyte of numbers.
/** @param {Record<string, SentMatrix>} sent
 *  @param {{ sent: Record<string, SentMatrix>, matrices: Matrices } | null} before @returns {Matrices} */
export function unpacked(sent, before = null) {
  /** @type {Matrices} */
  const matrices = {};
  for (const [name, matrix] of Object.entries(sent)) {
    const { rows, columns } = matrix;
    const isAsBefore = (/** @type {string | undefined} */ other) => other === undefined
      || isSame(sent[other], before?.sent[other]);
    if (before && isSame(matrix, before.sent[name]) && isAsBefore(matrix.of) && isAsBefore(matrix.plus)) {
      matrices[name] = before.matrices[name];
      continue;
    }
    const of = (/** @type {string | undefined} */ other) =>
      (other === undefined ? null : (matrices[other] ?? unpackedOne(sent[other])));
    const [source, mask] = [of(matrix.of), of(matrix.plus)];
    matrices[name] =
      source ? { rows, columns, values: quotients(source.values, mask?.values, matrix) } : unpackedOne(matrix);
  }
  return matrices;
}

// Whether two matrices were sent in the same form. Small ones, sent as plain numbers, don't count: to unpack them is
// faster than to compare them.
/** @param {SentMatrix} matrix @param {SentMatrix | undefined} other */
function isSame({ values, runs, ...rest }, other) {
  if (values || !other || other.values) return false;
  if (String(runs) !== String(other.runs)) return false;
  return Object.entries({ ...other, ...rest })
    .every(([key, value]) => key === "runs" || (Reflect.get(rest, key) === value && Reflect.get(other, key) === value));
}

function unpackedOne(/** @type {SentMatrix} */ { rows, columns, values, float32, runs, whys }) {
  const why = whys ? { whys: reasons(whys, rows * columns) } : {};
  if (runs) return { rows, columns, values: inFull(runs, rows * columns), ...why };
  // JSON has no infinities and no NaN, so these are sent as words.
  return { rows, columns, values: values ? Float64Array.from(values, Number) : numbersIn(float32 ?? ""), ...why };
}

// Why a mask hides cells: for each reason an array with 1 for its cells. These are sent as run lengths: first how many
// cells the reason isn't for, then how many it's for, and so on.
/** @param {string} text @param {number} length @returns {Why[]} */
function reasons(text, length) {
  return JSON.parse(text)
    .map((/** @type {{ key: string, n: number, placed: boolean, cells: number[] }} */ { cells, ...why }) => {
    return { ...why, cells: inFull(cells.map((count, i) => [count, i % 2]), length) };
  });
}

// Write out run lengths, which are sent for matrices in which few numbers differ from the one before, such as masks.
/** @param {[count: number, value: number | string][]} runs @param {number} length */
function inFull(runs, length) {
  const values = new Float64Array(length);
  let at = 0;
  for (const [count, value] of runs) {
    values.fill(Number(value), at, at + count);
    at += count;
  }
  return values;
}

// The numbers whose float32 bits a base64 text holds, lowest byte first, like the arrays of every browser.
export function numbersIn(/** @type {string} */ text) {
  return new Float64Array(new Float32Array(bytesIn(text).buffer));
}

export function bytesIn(/** @type {string} */ text) {
  const bytes = atob(text);
  const bits = new Uint8Array(bytes.length);
  for (let at = 0; at < bits.length; at += 1) bits[at] = bytes.charCodeAt(at);
  return bits;
}

// Scaled scores, from scores. Python sends them in this form only if torch's have exactly these bits.
/** @param {Float64Array} scores @param {Float64Array | undefined} mask @param {SentMatrix} matrix */
function quotients(scores, mask, { rows, columns, dividedBy = 1 }) {
  const values = new Float64Array(rows * columns);
  for (let at = 0; at < values.length; at += 1) {
    const scaled = Math.fround(scores[at] / dividedBy);
    values[at] = !mask ? scaled : mask[at] === -Infinity ? -Infinity : Math.fround(scaled + mask[at]);
  }
  return values;
}

// A moment of a model's training, as seen by a board that has one head of one layer in view.

/**
 * Return the given matrices of the table in view at a moment. If a matrix is for all heads, return one head's columns.
 * @param {SentStage[]} stages @param {Matrices} now the matrices on the board, whose shapes are kept
 * @param {Matrices} whole those of the moment, by their names in the whole model
 * @returns {Matrices}
 */
export function ofMoment(stages, now, whole) {
  const given = stages.filter(({ rule }) => rule === "given");
  return Object.fromEntries(given.map((stage) =>
    [stage.name, columnsOf(namedIn(whole, stage) ?? now[stage.name], stage.first, now[stage.name])]));
}

/** @param {Matrices} whole @param {SentStage} stage */
function namedIn(whole, { name, layer }) {
  const own = baseOf(name);
  return whole[name] ?? whole[`layers.${layer}.${own}`] ?? whole[own] ?? whole[`layers.0.${own}`];
}

/** @param {Matrix} matrix @param {number} first @param {Matrix} shape @returns {Matrix} */
function columnsOf({ rows, columns, values }, first, { columns: own }) {
  if (own === columns) return { rows, columns, values };
  const part = new Float64Array(rows * own);
  for (let row = 0; row < rows; row += 1) part.set(values.subarray(row * columns + first, row * columns + first + own),
    row * own);
  return { rows, columns: own, values: part };
}
