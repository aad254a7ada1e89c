import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Where `npm start` writes down what it runs, so that the operator's command line finds it. */
const LOCAL_SERVICES_FILE = resolve('.data', 'services.json');

/** Settings of the services that `npm start` runs, as environment variables. */
export type LocalServices = Record<string, string>;

/** Writes the services down, readable by this user alone: the settings hold the local secrets. */
export function saveLocalServices(services: LocalServices): void {
  mkdirSync(dirname(LOCAL_SERVICES_FILE), { recursive: true });
  writeFileSync(LOCAL_SERVICES_FILE, JSON.stringify(services, null, 2), { mode: 0o600 });
}

/**
 * Settings for a program that somebody runs beside `npm start`: with no database named, its database is meant. In
 * production one is always named.
 */
export function withLocalServices(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const named = environment.DATABASE_URL || environment.DATABASE_URL_FILE || environment.NODE_ENV === 'production';
  return named ? environment : { ...loadLocalServices(), ...environment };
}

/** The services of `npm start`, or nothing if it never ran here. */
export function loadLocalServices(): LocalServices {
  if (!existsSync(LOCAL_SERVICES_FILE)) return {};
  return JSON.parse(readFileSync(LOCAL_SERVICES_FILE, 'utf8')) as LocalServices;
}
