// Functions on a query as text: change it, sort it, compare it with others.

/**
 * A change of a query: a text for each parameter to set, null for each one to remove.
 * @typedef {Record<string, string | null>} Patch
 */

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit += 1) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/** @param {string} query @returns {[string, string][]} */
function pairsOf(query) {
  return [...new Map(new URLSearchParams(query))].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

export function ordered(/** @type {string} */ query) {
  return String(new URLSearchParams(pairsOf(query)));
}

// Sorted for people who read the address: the set-up's parameters come first, in the order of its controls.
/** @param {string} query @param {string[]} controls */
export function arranged(query, controls) {
  const place = new Map(controls.map((name, at) => [name, at]));
  const placeOf = (/** @type {string} */ name) => place.get(name) ?? controls.length;
  return String(new URLSearchParams(pairsOf(query).toSorted(([one], [other]) => placeOf(one) - placeOf(other))))
    .replaceAll("%2A", "*");
}

// A checksum that identifies a query, whatever the order and spelling of its parameters; `mark_of` in
// app/session/page_record.py computes the same.
export function markOf(/** @type {string} */ query) {
  const bytes = new TextEncoder().encode(pairsOf(query).map((pair) => pair.join("=")).join("\n"));
  let sum = -1;
  for (const byte of bytes) sum = CRC[(sum ^ byte) & 255] ^ (sum >>> 8);
  return `${bytes.length}.${~sum >>> 0}`;
}

// The query after a change.
/** @param {string} query @param {Patch} patch */
export function patched(query, patch) {
  const parameters = new URLSearchParams(query);
  for (const [name, text] of Object.entries(patch)) {
    if (text === null) parameters.delete(name);
    else parameters.set(name, text);
  }
  return ordered(String(parameters));
}

// A query without any set-up names the published example, because it could open the opening example otherwise. The
// function `naming_its_example` in link/state.py does the same.
/** @param {string} query @param {string[]} controls */
export function namingItsExample(query, controls) {
  const parameters = new URLSearchParams(query);
  const says = [...controls, "edits", "example"].some((name) => parameters.has(name));
  return says ? query : patched(query, { example: "published" });
}

// Fetches torch's numbers for a query without a run of the page; attnviz/app/server/numbers.py answers.
const GIVEN_UP_MS = 5000;

/** @param {string} at @param {object} asked */
export async function numbersFor(at, asked) {
  const address = new URL(at, window.__streamlit?.BACKEND_BASE_URL ?? new URL(".", location.href));
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(address,
    { method: "POST", headers, body: JSON.stringify(asked), signal: AbortSignal.timeout(GIVEN_UP_MS) });
  return !answer.ok || answer.status === 204 ? null : answer.json();
}
