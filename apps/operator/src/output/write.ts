import { once } from 'node:events';

/** Writes on standard output, no faster than it is taken. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
