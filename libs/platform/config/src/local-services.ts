import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { settingsWithFiles } from './load-config';

/** The file in which `npm start` stores its settings for the operator's command line. */
const LOCAL_SERVICES_FILE = resolve('.data', 'services.json');

/** Settings of the services that `npm start` runs, as environment variables. */
export type LocalServices = Record<string, string>;

/** Saves the settings, readable by this user only: they contain the local secrets. */
export function saveLocalServices(services: LocalServices): void {
  savePrivately(LOCAL_SERVICES_FILE, JSON.stringify(services, null, 2));
}

/** Writes a file that this user alone can read: all of it or, on a full disk, nothing. Its folder is made. */
export function savePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/**
 * Settings for a program that runs beside `npm start`: without DATABASE_URL it uses the database of `npm start`. In
 * production DATABASE_URL is required.
 */
export function withLocalServices(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const given = settingsWithFiles(environment);
  const named = given.DATABASE_URL || given.NODE_ENV === 'production';
  return named ? given : { ...loadLocalServices(), ...given };
}

/** The settings of `npm start`; empty if it never ran here. */
export function loadLocalServices(): LocalServices {
  if (!existsSync(LOCAL_SERVICES_FILE)) return {};
  return JSON.parse(readFileSync(LOCAL_SERVICES_FILE, 'utf8')) as LocalServices;
}
