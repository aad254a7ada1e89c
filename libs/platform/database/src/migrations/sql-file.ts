import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBS = join(__dirname, '..', '..', '..', '..');

/** The one statement in a `.sql` file; `path` is relative to `libs`, such as `domains/ai/src/ledger/sql/settle.sql`. */
export function sqlFile(path: string): string {
  return readFileSync(join(LIBS, path), 'utf8');
}
