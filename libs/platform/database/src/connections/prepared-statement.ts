/** A statement that each connection parses and plans once, identified by its name. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** Names a statement. Each name must always have the same text; name it after its place, such as `services.list`. */
export function prepared(name: string, text: string): PreparedStatement {
  return { name, text };
}
