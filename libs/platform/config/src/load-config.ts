import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { AppConfig, configSchema } from './schema';

/** A setting is missing or invalid. The message has one line for each, without its value. */
export class ConfigError extends Error {}

/**
 * Reads and validates the configuration. A blank variable or file counts as unset; compose files leave empty ones. Instead of any
 * setting, `NAME_FILE` may name a file that contains it, as container engines provide secrets. @throws ConfigError
 * naming every setting whose value is invalid, or else every one that contradicts others or that production requires
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): AppConfig {
  const parsed = configSchema.safeParse(settingsWithFiles(environment), { error: explainIssue });
  if (!parsed.success) {
    // A value that fails two checks, or a list of which two items are wrong, is reported once.
    const lines = new Set(parsed.error.issues.map(({ path: [name], message }) => `${String(name)}: ${message}`));
    throw new ConfigError([...lines].join('\n'));
  }
  return Object.assign(new AppConfig(), parsed.data);
}

/** The variables that are set. A blank one is not: as a number it would be 0. */
export function givenSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
}

/** The settings that are set, with those that files contain. @throws ConfigError if a file cannot be read */
export function settingsWithFiles(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = givenSettings(environment);
  return { ...givenSettings(fromFiles(given)), ...given };
}

function fromFiles(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings: NodeJS.ProcessEnv = {};
  for (const name of Object.keys(configSchema.shape)) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    try {
      settings[name] = readFileSync(path, 'utf8').trim();
    } catch {
      throw new ConfigError(`${name}_FILE: the file cannot be read`);
    }
  }
  return settings;
}

/** Describes the fault of a setting without its value; undefined if the schema's own message is used. */
function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an address such as https://example.com' : undefined;
    default:
      return undefined;
  }
}
