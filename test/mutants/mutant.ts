/** A small mistake put into the code, and the specs that must notice it. */
export interface Mutant {
  /** What is wrong with the code now, after its area: `tokens: the 60 s bound is gone`. */
  name: string;
  /** Path from the root of the project. */
  file: string;
  /** The text to replace. It stands in the file exactly once. */
  find: string;
  replace: string;
  /** Parts of the paths of the spec files that should fail. */
  specs: string[];
  /** Runs only the tests whose names match, where a spec file is long. */
  test?: string;
  /** Why nothing notices, where that is known and accepted. Such a mutant counts as not caught. */
  survives?: string;
}
