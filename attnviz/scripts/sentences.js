// The sentences of the catalogue, filled as `say` of attnviz/words does it.

import { SENTENCES } from "./sent.js";

// A sentence with its places filled; the place `n` chooses among its forms.
/** @param {string} key @param {Record<string, string | number>} places @returns {string} */
export function say(key, places = {}) {
  const name = key.lastIndexOf(".");
  const template = SENTENCES[key.slice(0, name)]?.[key.slice(name + 1)];
  if (template === undefined) throw new Error(`the script has no sentence ${key}`);
  return filled(template, places);
}

// The same of a sentence that is at hand.
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

// A whole number as `thousands` of attnviz/words writes it.
export function thousands(/** @type {number} */ n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, say("language.thousands"));
}
