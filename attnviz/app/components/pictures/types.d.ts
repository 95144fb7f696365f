// What pictures of matrices are sent: see attnviz/figures/on_page.py.

import type { Hatch } from "../../../scripts/sent.js";

export interface Picture {
  title: string;
  /** Blank where it says no more than the title. */
  formula: string;
  role: Role;
  plain: string;
  about: string;
  alt: string;
  symbol: string;
  /** What rows and columns are. */
  axes: string[];
  /** Their names, no two the same. */
  rows: string[];
  columns: string[];
  /** Rows and columns of the matrix in one cell. */
  steps: number[];
  /** Of the colours. */
  limit: number;
  /** float32 in base64, row by row; NaN in all but the finite cells. */
  numbers: string;
  /** What each cell is, a byte each, in base64: finite, masked, minus infinity, infinity or NaN; blank where all are
   *  finite. */
  kinds: string;
  /** Whether they are differences, which say their sign. */
  signed: boolean;
  /** Whether the numbers are shares, of which a masked one is 0. */
  shares: boolean;
  digits: number;
  /** Of the numbers in cells: fewer, as on the board. */
  cellDigits: number;
  /** The row that is followed. */
  query: number | null;
  /** Whether numbers stand in the cells. */
  inCell: boolean;
  scale: { high: string; even: { at: number; text: string } | null } | null;
}

/** Cells with a frame around them, by their first and last row and column. */
export interface Frame {
  matrix: string;
  rows: number[];
  columns: number[];
  /** Whether it is the picked one. */
  chosen: boolean;
}

export interface Data {
  /** The matrices that stand together, in the order of the computation. */
  groups: string[][];
  pictures: { [matrix: string]: Picture };
  /** Cells to frame, the picked one last. */
  frames: Frame[];
}

export interface Colours {
  theme: "light" | "dark";
  ramps: Ramps;
  hatches: { masked: Hatch; undefined: Hatch };
}

/** Where everything of a heatmap stands, in pixels. */
export interface Layout {
  cell: { width: number; height: number };
  left: number;
  labels: { angle: number; room: number };
  whole: number;
  title: number;
}
