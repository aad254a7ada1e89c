import { readFileSync } from 'node:fs';

/** The flags of Node with which the image starts the API. @throws if the Dockerfile does not say it */
export function imageFlags(): string[] {
  const [, command] = /^CMD (\["node".*customer-api.*\])$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  if (command === undefined) throw new Error('The Dockerfile has no command that starts the API');
  return (JSON.parse(command) as string[]).filter((word) => word.startsWith('--'));
}
