// Places of cells, { matrix, row, column }, and their addresses, such as "w_q,0,1". With several heads, a place counts
// the columns of its own head. The attribute data-at of an element counts those of the whole matrix, with the head's
// number for scores: "scores,head,row,column", and "w_q,0,3" for the cell that is the head's own w_q,0,1. Python is
// sent places in the whole, too (`ofWhole`).

import { say } from "../scripts/sentences.js";
import { baseOf } from "./values/matrices.js";

// The attribute data-at of a cell.
/** @param {Stage} stage @param {{ row: number, column: number }} cell */
export function atOf({ name, head, first, columns }, { row, column }) {
  const number = head !== null && columns === "key" ? [head] : [];
  return [name, ...number, row, column + first].join(",");
}

// The place of the cell that an element stands for; null if it's no cell.
/** @param {EventTarget | null} element @param {Stages} stages @returns {Place | null} */
export function placeOf(element, stages) {
  const text = element instanceof HTMLElement ? element.dataset.at : "";
  if (!text) return null;
  const [matrix, ...numbers] = text.split(",");
  const [row, column] = numbers.slice(-2).map(Number);
  return { matrix, row, column: column - (stages.get(matrix)?.first ?? 0) };
}

export function addressOf(/** @type {Place | null} */ place) {
  return place ? `${place.matrix},${place.row},${place.column}` : "";
}

// A place in the whole matrix, by the name that Python's edits use.
/** @template {Place} P @param {Stages} stages @param {P} place @returns {P} */
export function ofWhole(stages, place) {
  const { name, layer, first } = stages.get(place.matrix);
  return { ...place, matrix: layer ? `layers.${layer}.${baseOf(name)}` : baseOf(name), column: place.column + first };
}

// The same computation, seen from another of its heads, as attnviz/core/heads.py does in Python. Only names change: the
// matrices of that head get the plain names, such as "scores"; those that had them get the path of their own head, such
// as "heads.0.scores".

const CONTEXTS = "contexts";

/**
 * Return the board's data as if another head were in view.
 * @param {BoardData} data @param {number} head @returns {BoardData}
 */
export function forHead(data, head) {
  if (data.head === null || head === data.head || head >= data.heads.length) return data;
  const view = new View(data.stages, head);
  const { named } = view;
  const byName = (/** @type {Record<string, any>} */ values) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [named(name), value]));
  const matrices = Object.fromEntries(Object.entries(data.matrices)
    .map(([name, matrix]) => [named(name), matrix.of === undefined ? matrix : { ...matrix, of: named(matrix.of) }]));
  const stages = view.stages();
  return {
    ...data, head, stages,
    matrices: Object.fromEntries(stages.map(({ name }) => [name, matrices[name]])),
    limits: byName(data.limits),
    origins: byName(data.origins),
    before: Object.fromEntries(Object.entries(data.before)
      .map(([address, value]) => [address.replace(/^[^,]*/, named), value])),
  };
}

/** Return a function that gives each matrix's name with `head` in view. @param {BoardData} data @param {number} head
 *  @returns {(name: string) => string} */
export function namedFrom(data, head) {
  return data.head === null ? (name) => name : new View(data.stages, head).named;
}

// The name that a head's matrix has while the head of `data` is in view; the plain name if there's only one head.
/** @param {{ head: number | null }} data @param {number} head @param {string} name */
export function ofHead(data, head, name) {
  return head === data.head || data.head === null ? name : pathOf(head, name);
}

// The parts are joined, because `said_in` of attnviz/scripts would take a template for a key of the catalogue.
/** @param {number} head @param {string} name */
function pathOf(head, name) {
  return ["heads", head, name].join(".");
}

class View {
  // Prepare the change from the head in view to the head `to`.
  /** @param {SentStage[]} stages @param {number} to */
  constructor(stages, to) {
    this.to = to;
    this.table = new Map(stages.map((stage) => [stage.name, stage]));
    const all = this.table.get(CONTEXTS)?.sources ?? [];
    /** @type {Set<string>[]} */
    this.ofHeads = all.map((context) => this.madeWith(context));
    this.heads = [to, ...all.keys()].filter((head, at) => at === 0 || head !== to);
    const block = stages.slice(0, stages.findIndex(({ name }) => name === CONTEXTS))
      .filter(({ name }) => name === baseOf(name));
    this.order = block.map(({ name }) => name); // plain names of one head's matrices, and of those that all heads share
    this.tail = stages.slice(stages.findIndex(({ name }) => name === CONTEXTS));
    this.named = (/** @type {string} */ name) => {
      const owner = this.ownerOf(name);
      return owner === null ? name : owner === to ? baseOf(name) : pathOf(owner, baseOf(name));
    };
  }

  // The names of the matrices behind a head's context that belong to this head, alone or with others.
  madeWith(/** @type {string} */ context) {
    const found = new Set([context]);
    for (const name of found) {
      for (const source of this.table.get(name)?.sources
        ?? []) if (this.table.get(source)?.head !== null) found.add(source);
    }
    return found;
  }

  // The head under whose path a matrix stands. Of a matrix that several heads share, this is the head in view, or the
  // first that has it.
  ownerOf(/** @type {string} */ name) {
    return this.heads.find((head) => this.ofHeads[head].has(name)) ?? null;
  }

  stages() {
    const bases = this.order.map((base) => ({ base, shared: this.table.get(base)?.head === null }));
    const stages = this.heads.flatMap((head) => bases.flatMap(({ base, shared }) => {
      if (shared) return head === this.to ? [this.table.get(base)] : [];
      const name = [...this.ofHeads[head]].find((each) => baseOf(each) === base);
      return name !== undefined && this.ownerOf(name) === head ? [this.table.get(name)] : [];
    }));
    return [...stages, ...this.tail].flatMap((stage) => stage ?? []).map((stage) => this.renamed(stage));
  }

  /** @param {SentStage} stage @returns {SentStage} */
  renamed(stage) {
    const owner = this.ownerOf(stage.name);
    const sources = stage.sources.map(this.named);
    if (owner === null) return { ...stage, sources };
    return { ...stage, sources, name: this.named(stage.name), head: owner,
      title: say("stages.head.title", { title: stage.called, number: Math.floor(owner / stage.shared_by) }) };
  }
}
