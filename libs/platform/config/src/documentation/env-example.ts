import { documentedSettings, type Setting } from './settings';

const HEAD = `# Settings of the service, as environment variables. docker compose reads them from .env: copy this file there and
# change what you need. A setting that is commented out has the default it shows, or none. Instead of a value, any
# setting takes a file that holds it: NAME_FILE=/path/to/file; docker compose passes that on for secrets.
# This file is made from the schema by \`npm run settings\`; a test compares the two.

# --- docker compose only -------------------------------------------------------------------------------------------

# address of this machine that the service is published on; whatever ends TLS should be what listens to the world
# PUBLISH_ADDRESS=127.0.0.1

# replicas of the API
# API_REPLICAS=2

# memory that each replica of the API, the worker, and the others may use
# API_MEMORY=1g
# WORKER_MEMORY=512m
# POSTGRES_MEMORY=1g
# PROXY_MEMORY=256m
# VALKEY_MEMORY=256m

# address or range of the proxy before ours whose X-Forwarded-For is believed (what ends TLS); default: no proxy
# PROXY_BEFORE=127.0.0.1/32

# --- the service ---------------------------------------------------------------------------------------------------
`;

/** The text of `.env.example`. It sets nothing: a copy has no secret, and no outdated value. */
export function envExample(): string {
  return [HEAD, ...documentedSettings().map(lines)].join('\n');
}

function lines({ name, description, default: value = '' }: Setting): string {
  return `# ${description}\n# ${name}=${value}\n`;
}
