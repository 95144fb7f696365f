// The places of cells, { matrix, row, column }, and their addresses: "w_q,0,1".

// The place of the cell that an element of the page is.
export function placeOf(element) {
  const text = element?.dataset?.at;
  if (!text) return null;
  const [matrix, row, column] = text.split(",");
  return { matrix, row: Number(row), column: Number(column) };
}

export function addressOf(place) {
  return place ? `${place.matrix},${place.row},${place.column}` : "";
}
