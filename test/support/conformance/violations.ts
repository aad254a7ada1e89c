/** Violations of openapi.json since the last call of `takeViolations`. */
const found = new Set<string>();

export function addViolation(violation: string): void {
  found.add(violation);
}

/** Returns the violations and clears them. */
export function takeViolations(): string[] {
  const all = [...found];
  found.clear();
  return all;
}
