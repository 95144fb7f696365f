// When the reader types another sentence in place of the opening example's, no handmade vectors exist for its tokens.
// They are drawn instead by kinds of words, and near words are preferred, so that the example's W's keep their meaning.

/** @import { Patch } from "./query.js" */

/**
 * While the edits of a query contain `part`, it shows the opening example; another sentence gets `settings` instead.
 * @typedef {{ part: string, settings: Patch }} ByClass
 */

/** @param {string} query @param {Patch} patch @param {ByClass} byClass @returns {Patch} */
export function ofOwnWords(query, patch, { part, settings }) {
  if (!patch.text || "edits" in patch) return patch;
  const parts = new URLSearchParams(query).get("edits")?.split("*") ?? [];
  if (!parts.includes(part)) return patch;
  const rest = parts.filter((each) => !each.startsWith("x."));
  return { ...settings, ...patch, edits: rest.join("*") || null };
}
