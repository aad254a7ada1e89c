import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const FILE = resolve('.data', 'secrets.json');

/** Secrets of the local installation. They are generated once, so that the next start can decrypt the stored data. */
export interface LocalSecrets {
  databasePassword: string;
  secretsKey: string;
}

/** Reads the secrets, or generates them. */
export function loadLocalSecrets(): LocalSecrets {
  if (existsSync(FILE)) return JSON.parse(readFileSync(FILE, 'utf8')) as LocalSecrets;
  const secrets = { databasePassword: randomBytes(18).toString('hex'), secretsKey: randomBytes(32).toString('base64') };
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  return secrets;
}
