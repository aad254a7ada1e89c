/** A change of a text: the part from `start` to `end` is replaced. */
export interface Change {
  /** Kind of mistake: `operator`, `condition`, … */
  kind: string;
  start: number;
  end: number;
  replacement: string;
}

/** A small mistake drawn at random. */
export interface SampledMutant extends Change {
  /** Stays the same as long as its file does. */
  id: string;
  group: string;
  /** Path from the root of the project. */
  file: string;
  line: number;
  original: string;
}
