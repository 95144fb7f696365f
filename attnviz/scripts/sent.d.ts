// What Python sends with a script, when it is joined: attnviz/scripts/__init__.py.

/** A sentence of the catalogue, or its forms. */
export type Template = string | { readonly one: string; readonly other: string };

/** The sentences that the script says, by what stands before the last dot of their keys, and by what stands behind
 *  it. */
export const SENTENCES: { readonly [room: string]: { readonly [name: string]: Template } };

/** To a loader alone: where the script is, seen from the server, and what it draws in. See
 *  attnviz/app/components/script_file.py. */
export const FETCHED: { readonly script: string; readonly part: string };

/** To boards outside of the app alone: how they look, and in a notebook, in which letters: WOFF2, in base64. */
export const STYLE: string;
export const LETTERS: string;

/** To the pages of a class alone: what can be asked, by what it's about, and what of it has a board of its own. */
export const SUBJECTS: { readonly [subject: string]: { readonly [about: string]: string } };
export const BOARDS: string[];
/** What an address of the app has besides, where it tells what happens. */
export const TOLD: { readonly [about: string]: { readonly [parameter: string]: string } };
/** And the example that the lesson's predictions are of. */
export const EXAMPLE: string;
/** How many pages of the app each copy opens for one address of the network. */
export const MOST_OF_ADDRESS: number;

/** A hatched cell: its ground, its lines, and the ink of its sign. */
export type Hatch = { readonly ground: string; readonly line: string; readonly ink: string; readonly crossed: boolean };

/** The colours of pictures on a page. */
export type FigureTheme =
  & { readonly [name in "paper" | "text" | "muted" | "outline" | "band" | "grid" | "picked" | "right"]: string }
  & { readonly masked: Hatch; readonly undefined: Hatch };

/** To the heatmaps' script alone. See attnviz/figures/on_page.py. */
export const FIGURES: {
  readonly ROLES: Record<Role | "negative" | "paper", Tone>;
  readonly THEMES: { readonly light: FigureTheme; readonly dark: FigureTheme };
  /** Up to so many rows or columns, each has its name. */
  readonly LABELLED: number;
};

/** To the app's board alone: where the plane's script is, seen from its own. */
export const PLANE: string;

/** To the board's script alone: numbers that Python's side has, too. See attnviz/board/script.py. */
export const CONSTANTS: {
  /** Rows and columns of a matrix up to which its cells are elements. */
  readonly FITS: number;
  readonly FLOAT32: { readonly name: string; readonly max: number; readonly eps: number; readonly tiny: number };
  /** exp of up to this stands in fixed digits; a row beyond it is shifted by its largest. */
  readonly READABLE: number;
  /** exp of this far below is 0 at every precision. */
  readonly FAR: number;
  /** A sum of more terms shows the largest LONG - 1 and the remainder. */
  readonly LONG: number;
  /** Weights that differ by less are the same, if they are written alike. */
  readonly SAME: number;
  /** So many of several tokens that are read alike have their names told. */
  readonly NAMED: number;
  /** What is said of random numbers, by what is said of others: of what a token reads most. */
  readonly BY_CHANCE: { readonly [kind: string]: string };
  /** So many numbers of a row are told in a sentence. */
  readonly TOLD: number;
  /** Characters. */
  readonly MASK: string;
  readonly ADDED_TO_SCORES: string[];
  readonly LONGEST_TYPED: number;
  /** How long the rest of a page waits until the hand rests, in milliseconds and as many times as an answer took. */
  readonly PUT_OFF: { readonly REST_MS: number; readonly TIMES: number; readonly MOST_MS: number };
  /** The parameters that Streamlit's own controls write, in the order of an address. */
  readonly CONTROLS: string[];
  /** What opens a part of a page, by the page: without it, that begins anew. */
  readonly OPENED: { readonly [page: string]: string[] };
  /** What a typed sentence has in place of the vectors of the opening example. */
  readonly BY_CLASS: import("./own_sentence.js").ByClass;
};
