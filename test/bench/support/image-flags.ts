import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkout } from './checkout';

/** The flags of Node with which the image starts the API. @throws if the Dockerfile does not say it */
export function imageFlags({ folder }: Checkout): string[] {
  const [, command] =
    /^CMD (\["node".*customer-api.*\])$/m.exec(readFileSync(join(folder, 'Dockerfile'), 'utf8')) ?? [];
  if (command === undefined) throw new Error('The Dockerfile has no command that starts the API');
  return (JSON.parse(command) as string[]).filter((word) => word.startsWith('--'));
}
