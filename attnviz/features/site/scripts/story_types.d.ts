// The types of the story's data: attnviz/features/site/story.py and recorded.py write them.

/** What a step's board shows. `base` names its set-up, `before` the step whose board stands until its prediction. */
export interface StepBoard {
  base: string;
  before?: string;
  part?: string[];
  shows: Partial<BoardData>;
}

export interface Story {
  bases: Record<string, BoardData>;
  boards: Record<string, StepBoard>;
  steps: string[];
}

/** A recorded training: the board of its sentence, and the numbers of each moment, in the order of `shapes`. */
export interface Training {
  board: BoardData;
  part: string[];
  steps: number[];
  shapes: [name: string, rows: number, columns: number][];
  numbers: number[][];
  /** The share that the reader gives to the subject, and the share of new sentences that are right. */
  reads: number[];
  right: number[];
  subject: number;
  reader: number;
}

/** Next words with their probabilities, and what follows each. */
export type Tree = [word: string, chance: number, more?: Tree][];

export interface Writing {
  text: string;
  tree: Tree;
}

/** What the page needs to compute a typed sentence. */
export interface OwnWords {
  rows: Record<string, [number, number, number]>;
  kinds: Record<string, string>;
  listed: Record<string, string>;
  endings: [kind: string, pattern: string][];
  /** What the boards of most set-ups have in common, but for their stages. */
  usual: Omit<BoardData, "stages">;
  /** The stages of all boards; a number that depends on the number of tokens, n, is { per_n: [slope, offset] }. */
  stages: unknown[];
  /** By set-up: how its board differs, with the places of its stages in the list, and its query in the app. */
  boards: Record<string, { board: Partial<Omit<BoardData, "stages">> & { stages: number[] }; query: string }>;
  fewest: number;
  most: number;
}

export interface Later {
  /** How cells are declared and with which settings, by number: pages of boards name them so. */
  declared?: [declared: Piece[], settings: Partial<Settings>][];
  training?: Training;
  writing?: Writing;
  own?: OwnWords;
}

/** A prediction over the numbers of now: its choices, the right one, and what is told. */
export interface Predicted {
  choices: [choice: string, label: string][];
  right: string;
  told: string;
}
