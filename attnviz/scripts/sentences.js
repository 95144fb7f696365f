// The sentences of the catalogue, filled in as `say` of attnviz/words does.

import { SENTENCES } from "./sent.js";

// Returns a sentence with its placeholders filled in; the placeholder `n` chooses between its singular and plural.
/** @param {string} key @param {Record<string, string | number>} places @returns {string} */
export function say(key, places = {}) {
  const name = key.lastIndexOf(".");
  const template = SENTENCES[key.slice(0, name)]?.[key.slice(name + 1)];
  if (template === undefined) throw new Error(`the script has no sentence ${key}`);
  return filled(template, places);
}

// Does the same for a template that the caller already has.
/** @param {import("./sent.js").Template} template @param {Record<string, string | number>} places */
export function filled(template, places) {
  const form = typeof template === "string" ? template : template[places.n === 1 ? "one" : "other"];
  return form.replace(/\{(\w+)\}/g, (_, name) => {
    if (!(name in places)) throw new Error(`${JSON.stringify(template)} needs ${name}`);
    const place = places[name];
    const counts = (name === "n" || name === "count") && typeof place === "number" && Number.isInteger(place);
    return counts ? thousands(place) : String(place);
  });
}

// Writes a whole number as `thousands` of attnviz/words does.
export function thousands(/** @type {number} */ n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, say("language.thousands"));
}
