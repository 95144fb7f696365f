// A link that the server refuses as too long is opened once more, with the parameters that fit and the names of the
// rest.

/** @param {string} query @param {number} longest @param {number} most @param {string} leftOut @param {string} mark */
export function reopened(query, longest, most, leftOut, mark) {
  if (query.length <= longest && query.split("&").length <= most) return null;
  const written = [...new Map(new URLSearchParams(query))].map(([name, value]) => ({
    name,
    text: `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  }));
  const kept = new Set();
  let room = longest - 2000; // reserves characters for the names of what is left out
  for (const each of written.toSorted((one, other) => one.text.length - other.text.length)) {
    room -= each.text.length + 1;
    if (room < 0 || kept.size > most - 10) break;
    kept.add(each);
  }
  const names = written.filter((each) => !kept.has(each)).map(({ name }) => [...name].slice(0, 40).join(""));
  const said = [mark, query.length, query.split("&").length, names.length, ...names.slice(0, 3)].join(" ");
  return [...written.filter((each) => kept.has(each)).map(({ text }) => text),
    `${leftOut}=${encodeURIComponent(said)}`].join("&");
}

// The query that the page was opened with. By now, the address may hold what the server made of it.
export function openedQuery() {
  return new URL(performance.getEntriesByType("navigation")[0]?.name ?? location.href).search.slice(1);
}
