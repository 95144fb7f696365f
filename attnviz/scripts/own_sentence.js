// A sentence that is typed in place of the opening example's has no vectors made by hand. Its words get theirs by what
// kind of word they are, and near words go first, so that the example's W's still mean something.

/** @import { Patch } from "./query.js" */

/**
 * The query of the opening example has this part among its edits; a sentence of one's own has these settings instead.
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
