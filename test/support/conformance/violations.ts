/** What replies and accepted requests had that openapi.json does not allow, since it was last asked. */
const found = new Set<string>();

/** Notes a violation. */
export function addViolation(violation: string): void {
  found.add(violation);
}

/** Gives the violations noted and forgets them. */
export function takeViolations(): string[] {
  const all = [...found];
  found.clear();
  return all;
}
