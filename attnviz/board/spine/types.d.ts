// Where everything on the board stands.

import type { Stage } from "../types.js";

/** The room that there is, and what is to stand in it. `named` is how many columns have names over them. */
export interface Room {
  width: number;
  height: number;
  tokens: number;
  named: number;
  sentence: boolean;
  /** Whether what the picked token reads stands under the chips, where there is no room beside them. */
  saysBelow: boolean;
  plane: boolean;
}

export type Shapes = Record<string, { rows: number; columns: number }>;

/** A matrix on the spine, and what stands over it. */
export interface Column {
  stage: Stage;
  /** What it is made as: scores, for scaled scores in their place. */
  made: Stage;
  factor: Stage | null;
  turned: boolean;
  bias: Stage | null;
  weight: Stage | null;
  weightBias: Stage | null;
}

/** A matrix: its cells, and whether it stands on its side. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  cell: number;
  row: number;
  turned: boolean;
  /** Whether its cells have room for their numbers. */
  readable: boolean;
}

export interface Layout {
  scale: number;
  width: number;
  height: number;
  labels: number;
  /** Where what stands above the spine ends. */
  above: number;
  /** Where the rows of the spine begin and end, and how high one is. */
  start: number;
  end: number;
  row: number;
  arcs: number;
  chips: number;
  plane: { x: number; y: number; width: number; height: number } | null;
  boxes: Record<string, Box>;
  columns: Column[];
}

/** A ribbon to a word, as the path of an SVG. */
export interface Ribbon {
  word: number;
  width: number;
  path: string;
}

/** What is done to a row while it is played: a vector made, scores, their scaling, their shares, the mix of values. */
export type PhaseKind = "vector" | "scores" | "scale" | "shares" | "mix" | "other";

/** A phase of a row that is played, from `start` to `end` in milliseconds; `on` is the matrix in whose place it is seen. */
export interface Phase {
  name: string;
  on: string;
  kind: PhaseKind;
  stage: Stage;
  /** The columns of its row that hold a number. */
  columns: number[];
  /** What happens one after the other. */
  steps: number[];
  start: number;
  end: number;
}

/** What stands at a moment of it: in which phase and step, and how far. */
export interface Moment {
  at: number;
  part: number;
  step: number;
  within: number;
  made: number;
  veil: number;
}
