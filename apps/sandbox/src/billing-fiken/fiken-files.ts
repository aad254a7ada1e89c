import { createHash } from 'node:crypto';

/** The file name of a document. */
export function fileName(kind: 'faktura' | 'kreditnota', number: number, issueDate: string): string {
  return `${kind}_${issueDate.slice(0, 4)}_${number}.pdf`;
}

/** The id in a file's download link. */
export function fileId(slug: string, name: string): string {
  const digits = createHash('sha256').update(`${slug}/${name}`).digest('hex').slice(0, 32);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
