import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in package.json, which is beside `dist` in the image, too. */
export function programVersion(): string {
  const file = join(__dirname, ...Array<string>(5).fill('..'), 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
