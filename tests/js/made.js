// What the board makes of what Python sends it.

/** @param {any} data */
export function made(data) {
  const matrices = Object.fromEntries(Object.entries(data.matrices).map(
    ([name, matrix]) => [name, { ...matrix, values: Float64Array.from(matrix.values, Number) }]));
  return { ...data, matrices, stages: new Map(data.stages.map((/** @type {any} */ stage) => [stage.name, stage])) };
}
