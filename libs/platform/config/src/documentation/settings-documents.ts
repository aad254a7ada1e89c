import { configSchema, configSections } from '../schema';
import { SECRET_SETTINGS } from '../secret-settings';

// The documents that are generated from the schema: `.env.example`, the handbook's table, docker-compose.yml.

/** A setting as its documentation shows it. */
interface Setting {
  name: string;
  /** The text of the schema's `describe()`. */
  description: string;
  /** The default as one would write it; undefined if there is none. */
  default?: string;
}

/** Every setting of the schema, in its order. */
function documentedSettings(): Setting[] {
  return Object.entries(configSchema.shape).map(([name, schema]) => {
    const { data = '' } = schema.safeParse(undefined) as { data?: string | number | boolean | string[] };
    const written = String(data);
    return { name, description: schema.description ?? '', ...(written !== '' && { default: written }) };
  });
}

const HEAD = `# Settings of the service, as environment variables. docker compose reads them from .env: copy this file there and
# change the settings that you need. A setting that is commented out has the default it shows, or none. Instead of a value, any
# setting takes a file that holds it: NAME_FILE=/path/to/file; with docker compose secrets do, a file of this machine, but not SECRETS_KEY.
# This file is made from the schema by \`npm run settings\`; a test compares the two.

# --- docker compose only -------------------------------------------------------------------------------------------

# address of this machine that the service is published on; only the program that terminates TLS should be reachable from outside
# PUBLISH_ADDRESS=127.0.0.1

# replicas of the API
# API_REPLICAS=2

# memory that each replica of the API, the worker, and the others may use; and the shared memory of PostgreSQL for parallel queries, a part of its own
# API_MEMORY=1g
# WORKER_MEMORY=512m
# POSTGRES_MEMORY=1g
# POSTGRES_SHM=256m
# PROXY_MEMORY=1g
# VALKEY_MEMORY=256m

# processors that each of them may use, such as 1.5; 0: all
# API_CPUS=0
# WORKER_CPUS=0
# POSTGRES_CPUS=0
# PROXY_CPUS=0
# VALKEY_CPUS=0

# port of this machine that the operator console is published on, on the loopback address; and the address, the port and the folder
# of its certificate with the profile console-tls, which needs OPERATOR_URL
# CONSOLE_PORT=3001
# CONSOLE_TLS_ADDRESS=0.0.0.0
# CONSOLE_TLS_PORT=8444
# CONSOLE_CERTIFICATES=./console-certificates
# CONSOLE_MEMORY=512m

# address or range, as our proxy sees it, of the proxy before ours whose X-Forwarded-For is believed (the one that terminates TLS). Default: programs of
# this machine, if PUBLISH_ADDRESS is its own; else, and for the profile tls, none
# PROXY_BEFORE=

# requests a second that the proxy passes on with one token, and twice as many from one network address; others wait in the proxy. It answers
# 429 when four times this many with one token have come in advance or are in progress; for an address, eight times or 16 times.
# 0: any number. Raise it if a customer may send more than 60 times this a minute
# PROXY_REQUESTS_PER_SECOND=300

# parts that run beside the service, separated by commas: archive, monitoring, tls, console-tls
# COMPOSE_PROFILES=

# folder of the certificate with the profile tls, and the address and ports of this machine that it is served on
# TLS_CERTIFICATES=./certificates
# TLS_ADDRESS=0.0.0.0
# HTTPS_PORT=443
# HTTP_PORT=80

# folder for the archive with the profile archive, such as /srv/archive; archive itself, and no other name, is a volume; and how many days back a
# recovery can go
# ARCHIVE_DIRECTORY=archive
# ARCHIVE_DAYS=7

# tag of the image that is built and run
# VERSION=local

# address that alerts are posted to, as Alertmanager's JSON (profile monitoring)
# ALERT_WEBHOOK=

# folder of the daily backups; a command that copies each of them to another machine, with {} for its folder; days that they are
# kept here; and when they are made, once apps/operator/stack.sh schedule was run
# BACKUP_DIRECTORY=
# BACKUP_COPY=
# BACKUP_DAYS=14
# BACKUP_AT=03:15

# --- the service ---------------------------------------------------------------------------------------------------
`;

/** The text of `.env.example`. It sets nothing: a copy has no secret, and no outdated value. */
export function envExample(): string {
  return [HEAD, ...documentedSettings().map(envLines)].join('\n');
}

function envLines({ name, description, default: value = '' }: Setting): string {
  return `# ${description}\n# ${name}=${value}\n`;
}

/** The page of the handbook with the table. */
export const SETTINGS_PAGE = 'docs/handbook/settings.md';

const TABLE_BEGIN = '<!-- settings: made by npm run settings -->';
const TABLE_END = '<!-- end of settings -->';

/** Updates the table of settings in a Markdown text. */
export function withSettingsTable(markdown: string): string {
  // Not aligned: otherwise a longer setting would change every line.
  const made = `\n\n<!-- prettier-ignore-start -->\n${table()}\n<!-- prettier-ignore-end -->\n\n`;
  return withPart(markdown, TABLE_BEGIN, made, TABLE_END);
}

function table(): string {
  const rows = documentedSettings().map(({ name, description, default: value }) => [
    `\`${name}\``,
    value === undefined ? '' : `\`${value}\``,
    description.replaceAll('|', '\\|'),
  ]);
  const cells = [['setting', 'default', 'meaning'], ['---', '---', '---'], ...rows];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const BLOCKS_BEGIN = '# settings: made by npm run settings\n';
const BLOCKS_END = '# end of settings\n';

/** Settings that docker-compose.yml sets by itself, or that production refuses. */
export const SET_BY_COMPOSE: readonly string[] = [
  'NODE_ENV',
  'HOST',
  'PORT',
  'INTERNAL_HOST',
  'INTERNAL_PORT',
  'WORKER_INTERNAL_PORT',
  'OPERATOR_HOST',
  'OPERATOR_PORT',
  'OPERATOR_INTERNAL_PORT',
  'TRUST_PROXY',
  'OPERATOR_NAME',
  'OPERATOR_TERMINAL',
  'LOG_DIRECTORY',
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
  return withPart(compose, BLOCKS_BEGIN, Object.entries(configSections).map(blocks).join(''), BLOCKS_END);
}

function blocks([section, settings]: [string, object]): string {
  const names = Object.keys(settings).filter((name) => !SET_BY_COMPOSE.includes(name));
  const secrets = names.filter((name) => (SECRET_SETTINGS as readonly string[]).includes(name));
  const others = names.filter((name) => !secrets.includes(name));
  return (
    block(`${section}-settings`, others) +
    block(
      `${section}-secrets`,
      secrets,
      secrets.map((name) => `  ${name}_FILE: /run/secrets/${name}\n`),
    )
  );
}

/** An empty variable or file counts as unset, so the program's default applies. `lines`: further ones. */
function block(name: string, settings: string[], lines: string[] = []): string {
  if (settings.length === 0) return '';
  const given = settings.map((setting) => `  ${setting}: \${${setting}:-}\n`);
  return `x-${name}: &${name}\n${[...given, ...lines].join('')}\n`;
}

/** Replaces the text between two markers. @throws if a marker is missing */
function withPart(text: string, begin: string, part: string, end: string): string {
  const [before, rest] = split(text, begin);
  const [, after] = split(rest, end);
  return `${before}${begin}${part}${end}${after}`;
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`The text has no mark ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
