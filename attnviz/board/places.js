// The places of cells, { matrix, row, column }, as the board has them, and their addresses: "w_q,0,1". Of one of
// several heads a place counts in its own columns; an element says in data-at where it is in the whole:
// "scores,head,row,column", and "w_q,0,3" for the cell of W_q that is the head's own w_q,0,1. So does what Python is
// told.

import { say } from "../scripts/sentences.js";
import { baseOf } from "./values/matrices.js";

// What data-at says of a cell.
/** @param {Stage} stage @param {{ row: number, column: number }} cell */
export function atOf({ name, head, first, columns }, { row, column }) {
  const number = head !== null && columns === "key" ? [head] : [];
  return [name, ...number, row, column + first].join(",");
}

// The place of the cell that an element of the board is.
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

// The cell of the whole that a place is.
/** @template {Place} P @param {Stages} stages @param {P} place @returns {P} */
export function ofWhole(stages, place) {
  const { name, layer, first } = stages.get(place.matrix);
  return { ...place, matrix: layer ? `layers.${layer}.${baseOf(name)}` : baseOf(name), column: place.column + first };
}

// The whole computation as seen from another of its heads: what attnviz/core/heads.py does in Python. Only names
// change: that head's matrices take those of attention, and what had them goes behind the path of its own head.

const CONTEXTS = "contexts";

/**
 * What the board is sent, as if another head were in view.
 * @param {BoardData} data @param {number} head @returns {BoardData}
 */
export function seenFrom(data, head) {
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

/** What each matrix is called there. @param {BoardData} data @param {number} head
 *  @returns {(name: string) => string} */
export function namedFrom(data, head) {
  return data.head === null ? (name) => name : new View(data.stages, head).named;
}

// The name of the attention weights of a head, where some head is in view.
/** @param {{ head: number | null }} data @param {number} head @param {string} name */
export function ofHead(data, head, name) {
  return head === data.head || data.head === null ? name : pathOf(head, name);
}

// As no template, which would be taken for a key of the catalogue's.
/** @param {number} head @param {string} name */
function pathOf(head, name) {
  return ["heads", head, name].join(".");
}

class View {
  // From the head in view to the one that is to be.
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
    this.order = block.map(({ name }) => name); // of one head, with what all have in common
    this.tail = stages.slice(stages.findIndex(({ name }) => name === CONTEXTS));
    this.named = (/** @type {string} */ name) => {
      const owner = this.ownerOf(name);
      return owner === null ? name : owner === to ? baseOf(name) : pathOf(owner, baseOf(name));
    };
  }

  // What one head alone, or with others, has to make its context with.
  madeWith(/** @type {string} */ context) {
    const found = new Set([context]);
    for (const name of found) {
      for (const source of this.table.get(name)?.sources
        ?? []) if (this.table.get(source)?.head !== null) found.add(source);
    }
    return found;
  }

  // Under whose path a matrix stands: of what heads share, the one in view, or the first that has it.
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
