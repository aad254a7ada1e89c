/** A small mistake in the code, and the specs that must notice it. */
export interface Mutant {
  /** The fault that it causes, after its area: `tokens: the 60 s bound is gone`. */
  name: string;
  /** Path from the root of the project. */
  file: string;
  /** The text to replace. It occurs in the file exactly once. */
  find: string;
  replace: string;
  /** Parts of the paths of the spec files that should fail. */
  specs: string[];
  /** Runs only the tests whose names match, for long spec files. */
  test?: string;
  /** Why no test notices, if that is known and accepted. Such a mutant counts as not caught. */
  survives?: string;
}
