/** A statement that each connection parses and plans once. The name stands for the text. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** Names a statement. One name must always stand for one text; name it after its place, such as `services.list`. */
export function prepared(name: string, text: string): PreparedStatement {
  return { name, text };
}
