import { AppConfig } from './app-config';
import { configSchema } from './schema';

/** A setting is missing or wrong. The message has one line for each, and never the value. */
export class ConfigError extends Error {}

/**
 * Reads and validates the configuration. An empty variable counts as unset, as compose files leave them.
 * @throws ConfigError naming every setting that is wrong.
 */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): AppConfig {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = configSchema.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'));
  }
  return Object.assign(new AppConfig(), parsed.data);
}
