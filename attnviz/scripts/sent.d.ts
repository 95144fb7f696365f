// The values that Python sends along with a script: attnviz/scripts/__init__.py joins them.

/** A sentence of the catalogue, or its singular and plural. */
export type Template = string | { readonly one: string; readonly other: string };

/** The sentences that the script uses, by the part of their keys before the last dot, and then by the part after it. */
export const SENTENCES: { readonly [room: string]: { readonly [name: string]: Template } };

/** For a loader only: the address of the script, relative to the server, and the element that it draws in. See
 *  attnviz/app/components/script_file.py. */
export const FETCHED: { readonly script: string; readonly part: string };

/** For boards outside the app only: their styles and, in a notebook, their font (WOFF2 in base64). */
export const STYLE: string;
export const LETTERS: string;

/** For the pages of a class only: the questions by subject, and the names of those that have a board of their own. */
export const SUBJECTS: { readonly [subject: string]: { readonly [about: string]: string } };
export const BOARDS: string[];
/** Further parameters of the app's address when it shows what happens, by question. */
export const TOLD: { readonly [about: string]: { readonly [parameter: string]: string } };
/** The example that the lesson's predictions are about. */
export const EXAMPLE: string;
/** How many of the app's pages one network address may open on each copy of the server. */
export const MOST_OF_ADDRESS: number;

/** A hatched cell: the colours of its background, its lines and its symbol. */
export type Hatch = { readonly ground: string; readonly line: string; readonly ink: string; readonly crossed: boolean };

/** The colours of pictures on a page. */
export type FigureTheme =
  & { readonly [name in "paper" | "text" | "muted" | "outline" | "band" | "grid" | "picked" | "right"]: string }
  & { readonly masked: Hatch; readonly undefined: Hatch };

/** For the heatmaps' script only. See attnviz/figures/on_page.py. */
export const FIGURES: {
  readonly ROLES: Record<Role | "negative" | "paper", Tone>;
  readonly THEMES: { readonly light: FigureTheme; readonly dark: FigureTheme };
  /** Matrices up to this size label each row or column. */
  readonly LABELLED: number;
};

/** For the app's board only: the address of the plane's script, relative to the board's own. */
export const PLANE: string;

/** For the board's script only: constants that Python uses, too. See attnviz/board/script.py. */
export const CONSTANTS: {
  /** The size up to which a matrix draws each cell as an element. */
  readonly FITS: number;
  readonly FLOAT32: { readonly name: string; readonly max: number; readonly eps: number; readonly tiny: number };
  /** Up to this number, exp is written with fixed digits; a row beyond it is shifted by its largest number. */
  readonly READABLE: number;
  /** Below minus this number, exp is 0 at every precision. */
  readonly FAR: number;
  /** A sum of more terms shows the largest LONG - 1 and the remainder. */
  readonly LONG: number;
  /** Weights that differ by less count as equal if they are also written alike. */
  readonly SAME: number;
  /** If several tokens are read equally, this many of them are named. */
  readonly NAMED: number;
  /** Maps a kind of finding about what a token reads most to the kind that is said when the numbers are random. */
  readonly BY_CHANCE: { readonly [kind: string]: string };
  /** How many numbers of a row a sentence lists. */
  readonly TOLD: number;
  /** The name of the mask's stage. */
  readonly MASK: string;
  readonly ADDED_TO_SCORES: string[];
  readonly LONGEST_TYPED: number;
  /** How long the page waits for further changes, in milliseconds and as a multiple of the last answer's time. */
  readonly PUT_OFF: { readonly REST_MS: number; readonly TIMES: number; readonly MOST_MS: number };
  /** The parameters that Streamlit's own controls write, in the order of the address. */
  readonly CONTROLS: string[];
  /** The parameters that open a part of a page, by page; without them, the page starts from its beginning. */
  readonly OPENED: { readonly [page: string]: string[] };
  /** The settings that a typed sentence gets in place of the opening example's vectors. */
  readonly BY_CLASS: import("./own_sentence.js").ByClass;
};
