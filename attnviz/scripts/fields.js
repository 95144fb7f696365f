// Writes the value of some Streamlit fields into the address as soon as it changes. Streamlit also sends it to the
// server, but on a busy machine the server's report takes seconds, and a reload before that would lose what was typed.

/** @import { Patch } from "./query.js" */

/**
 * Fields, named by the classes of their containers, and the query parameter that holds them: as one field's text, or as
 * JSON of all the fields by name. `ends` are other parameters that a change removes.
 * @typedef {{ parameter: string, names: Record<string, string>, most: number, ends: string[],
 *   held: Record<string, unknown> | null, isOptional: boolean }} Fields
 */

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

const isField = (/** @type {unknown} */ target) =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/**
 * Call `change` with the patch of the query that a field's change makes, at the moment when Streamlit takes the change.
 * @param {() => Iterable<Fields>} all @param {() => string} query
 * @param {(patch: Patch, source: string) => void} change
 */
export function listen(all, query, change) {
  const told = (/** @type {EventTarget | null} */ target) => {
    if (!isField(target)) return;
    for (const fields of all()) {
      const patch = patchOf(fields, /** @type {Field} */ (target), query());
      if (patch) change(patch, fields.parameter);
    }
  };
  window.addEventListener("change", ({ target }) => told(target), true);
  window.addEventListener("keydown", ({ key, ctrlKey, metaKey, target }) => {
    if (key === "Enter" && (target instanceof HTMLInputElement || ctrlKey || metaKey)) told(target);
  }, true);
}

/** @param {Fields} fields @param {Field} field @param {string} query @returns {Patch | null} */
function patchOf({ parameter, names, most, ends, held, isOptional }, field, query) {
  const found = Object.keys(names).find((name) => field.closest(`.${CSS.escape(name)}`));
  if (found === undefined) return null;
  const said = new URLSearchParams(query).get(parameter) ?? "";
  const text = held === null ? field.value : asJson({ ...held, ...standing(names), [names[found]]: field.value });
  if (text.length > most || (!text.trim() && !isOptional) || text === said) return null;
  return { [parameter]: text || null, ...Object.fromEntries(ends.map((name) => [name, null])) };
}

// The texts of the fields that are on the page, which are newer than those that the server has.
/** @param {Record<string, string>} names @returns {Record<string, string>} */
function standing(names) {
  const found = Object.entries(names).map(([name, called]) => {
    const field = document.querySelector(`.${CSS.escape(name)} :is(input, textarea)`);
    return isField(field) ? [[called, /** @type {Field} */ (field).value]] : [];
  });
  return Object.fromEntries(found.flat());
}

function asJson(/** @type {Record<string, unknown>} */ held) {
  const filled = Object.entries(held).filter(([, value]) => value !== "");
  return filled.length > 0 ? JSON.stringify(Object.fromEntries(filled)) : "";
}
