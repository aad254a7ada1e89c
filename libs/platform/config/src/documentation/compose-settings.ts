import { configSections } from '../schema';
import { SECRET_SETTINGS } from '../secret-settings';
import { withPart } from './made-part';

const BEGIN = '# settings: made by npm run settings\n';
const END = '# end of settings\n';

/** Settings that docker-compose.yml sets by itself, or that production refuses. */
export const SET_BY_COMPOSE: readonly string[] = [
  'NODE_ENV',
  'HOST',
  'PORT',
  'INTERNAL_HOST',
  'INTERNAL_PORT',
  'WORKER_INTERNAL_PORT',
  'TRUST_PROXY',
  'SANDBOX_URL',
  'DEMO_CUSTOMER',
  'SECRETS_KEY',
  'FORMER_SECRETS_KEY',
  'DATABASE_URL',
  'REDIS_URL',
];

/**
 * Updates the blocks of settings in a compose file: for each section the settings that `.env` may set, with the secrets
 * in a separate block, so that each service gets only those it needs.
 */
export function withComposeSettings(compose: string): string {
  return withPart(compose, BEGIN, Object.entries(configSections).map(blocks).join(''), END);
}

function blocks([section, settings]: [string, object]): string {
  const names = Object.keys(settings).filter((name) => !SET_BY_COMPOSE.includes(name));
  const secrets = names.filter((name) => (SECRET_SETTINGS as readonly string[]).includes(name));
  const others = names.filter((name) => !secrets.includes(name));
  return (
    block(`${section}-settings`, others) +
    block(
      `${section}-secrets`,
      secrets.flatMap((name) => [name, `${name}_FILE`]),
    )
  );
}

/** An empty variable counts as unset, so the program's default applies. */
function block(name: string, settings: string[]): string {
  if (settings.length === 0) return '';
  return `x-${name}: &${name}\n${settings.map((setting) => `  ${setting}: \${${setting}:-}\n`).join('')}\n`;
}
