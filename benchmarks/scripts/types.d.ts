// What the benchmarks' scripts keep in the page for Python to read.

interface Bench {
  /** When the awaited element was painted; NaN once it is found. */
  loaded: number | null;
  awaited?: string;
  selector: string;
  key: string | null;
  pressed: number | null;
  changed: number | null;
  painted: number | null;
  arm?(selector: string, key: string): void;
}

interface BoardBench {
  board: number | null;
  /** Of each move the milliseconds, or null where it was not followed. */
  moves: (number | null)[];
  cell(at: string): HTMLElement;
  box(at: string): object;
  /** What stands over the matrices, and the numbers that follow a cursor. */
  row(): string;
  status(): string;
  follow(type: string, seen: () => unknown): () => void;
  release(): Promise<number>;
}

/** When the `wanted` pictures had been painted, and when anything changed last. */
interface ModelBench {
  wanted: number;
  came: number; // when their numbers did
  drawn: number;
  changed: number;
  canvas: HTMLElement | null; // that was painted
  before: HTMLElement | null; // and that one before, which doesn't count
  again: () => void; // wait for another picture
}

interface Window {
  modelBench: ModelBench;
  bench: Bench;
  boardBench: BoardBench;
}
