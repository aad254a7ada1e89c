import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

/** The folder of the packages that customers use: only the specs that need them install them. */
export const CLIENTS = 'test/contract/clients';

/** Installs the packages, unless they are installed. */
export async function installClients(): Promise<void> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  await promisify(execFile)(process.execPath, ['test/support/install-if-stale.mjs', CLIENTS], { env });
}

/** One of the packages. The compiler runs without them, and so without their types: the caller names the parts that it uses. */
export function clientPackage(name: string): unknown {
  return createRequire(resolve(CLIENTS, 'package.json'))(name);
}
