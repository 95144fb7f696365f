// A link that the server refuses as a whole opens once more with what fits of it, and the names of what does not.

/** @param {string} query @param {number} longest @param {number} most @param {string} leftOut @param {string} mark */
export function reopened(query, longest, most, leftOut, mark) {
  if (query.length <= longest && query.split("&").length <= most) return null;
  const written = [...new Map(new URLSearchParams(query))].map(([name, value]) => ({
    name,
    text: `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  }));
  const kept = new Set();
  let room = longest - 2000; // for the names of what is left out
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

// What the page was opened with: by now the address may hold what the server thinks it opened.
export function openedQuery() {
  return new URL(performance.getEntriesByType("navigation")[0]?.name ?? location.href).search.slice(1);
}
