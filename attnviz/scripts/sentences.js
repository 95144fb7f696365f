// The sentences of the catalogue, filled as `say` and `plural` of attnviz/words do it.

import { SENTENCES } from "./sent.js";

// A sentence with its places filled; the place `n` chooses among its forms.
export function say(key, places = {}) {
  const template = SENTENCES[key];
  if (template === undefined) throw new Error(`the script has no sentence ${key}`);
  const form = typeof template === "string" ? template : template[places.n === 1 ? "one" : "other"];
  return form.replace(/\{(\w+)\}/g, (_, name) => {
    if (!(name in places)) throw new Error(`${key} needs ${name}`);
    const counts = (name === "n" || name === "count") && Number.isInteger(places[name]);
    return counts ? places[name].toLocaleString("en") : String(places[name]);
  });
}

// A number of things in words: "1 token", "2,000 characters".
export function plural(n, noun) {
  const template = SENTENCES[`count.${noun}`];
  return template[n === 1 ? "one" : "other"].replace("{n}", n.toLocaleString("en"));
}
