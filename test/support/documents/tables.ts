import { readFileSync } from 'node:fs';

/** The rows of a document's tables, cell by cell. */
export function tableRows(path: string): string[][] {
  const rows = readFileSync(path, 'utf8').matchAll(/^\| (.*) \|$/gm);
  return [...rows].map(([, row = '']) => row.split(' | ').map((cell) => cell.trim()));
}
