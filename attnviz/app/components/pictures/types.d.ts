// The data that pictures of matrices receive: see attnviz/figures/on_page.py.

import type { Hatch } from "../../../scripts/sent.js";

export interface Picture {
  title: string;
  /** Blank if it would say no more than the title. */
  formula: string;
  role: Role;
  plain: string;
  about: string;
  alt: string;
  symbol: string;
  /** Nouns for the rows and the columns. */
  axes: string[];
  /** Names of the rows, all different; `columns` likewise. */
  rows: string[];
  columns: string[];
  /** How many rows and columns of the matrix one cell stands for. */
  steps: number[];
  /** The number that has the strongest colour. */
  limit: number;
  /** float32 in base64, row by row; NaN in all but the finite cells. */
  numbers: string;
  /** The kind of each cell, a byte each, in base64: finite, masked, minus infinity, infinity or NaN. Blank if all cells
   *  are finite. */
  kinds: string;
  /** Whether the numbers are differences, which are written with their sign. */
  signed: boolean;
  /** Whether the numbers are shares; then a masked cell means 0. */
  shares: boolean;
  digits: number;
  /** Decimals of the numbers in cells, which are fewer, as on the board. */
  cellDigits: number;
  /** The row of the followed token. */
  query: number | null;
  /** Whether the cells show their numbers. */
  inCell: boolean;
  scale: { high: string; even: { at: number; text: string } | null } | null;
}

/** Cells with a frame around them, by their first and last row and column. */
export interface Frame {
  matrix: string;
  rows: number[];
  columns: number[];
  /** Whether this is the picked cell. */
  chosen: boolean;
}

export interface Data {
  /** Groups of matrices that stand together, in the order of the computation. */
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

/** The positions and sizes of a heatmap's parts, in pixels. */
export interface Layout {
  cell: { width: number; height: number };
  left: number;
  labels: { angle: number; room: number };
  whole: number;
  title: number;
}
