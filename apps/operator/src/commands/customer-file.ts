import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { usageError } from '../command-error';

/** Bytes of a file that is read at most. */
const MOST_BYTES = 10_000_000;

/** The text of a file; `-` is standard input. @throws CommandError */
export async function readTextFile(path: string): Promise<string> {
  const bytes = path === '-' ? await buffer(process.stdin) : await fileOf(path);
  if (bytes.length > MOST_BYTES) throw usageError(`The file has more than ${MOST_BYTES} bytes: split it`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError('The file is not in UTF-8: save it as "CSV UTF-8"');
  }
}

async function fileOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw usageError(`The file cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  }
}
