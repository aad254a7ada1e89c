import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

/** A part of `up`, without a container engine, in a folder that has the files of this one and an .env of its own. */
const script = (part: string) => `
set -euo pipefail
docker() { :; }
xargs() { cat >/dev/null; }
for part in common commands; do . "apps/operator/stack/$part.sh"; done
${part}`;

describe('a name in .env', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'env-'));
    for (const path of ['.env.example', 'docker-compose.yml', 'docker-compose.citus.yml', 'apps'])
      symlinkSync(resolve(path), join(folder, path));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  function run(part: string, lines: string) {
    writeFileSync(join(folder, '.env'), lines);
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script(part)], {
      cwd: folder,
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    return { status, said: stdout + stderr };
  }

  it.each(['API_REPLICAS', 'COMPOSE_FILE', 'ELKS_PASSWORD_FILE', 'ANTHROPIC_API_KEY_FILE', 'VERSION'])(
    'that something reads has no warning: %s',
    (name) => expect(run('examine', `${name}=one\n`)).toEqual({ status: 0, said: '' }),
  );

  it.each(['API_REPLIKAS', 'SMS_GATEWAY_FILE', 'SECRETS_KEY_FILE', 'DATABASE_URL_FILE', 'POSTGRES_PASSWORD_FILE'])(
    'that nothing reads has one, also where a program is always given the same file: %s',
    (name) =>
      expect(run('examine', `${name}=one\n`)).toEqual({
        status: 0,
        said: `Warning: .env has ${name}, which nothing reads\n`,
      }),
  );

  it('that is a profile keeps its services: of all others the containers are removed, but those for one command', () => {
    const { services } = parse(readFileSync('docker-compose.yml', 'utf8')) as {
      services: Record<string, { profiles?: string[] }>;
    };
    const ofProfiles = Object.keys(services).filter((name) => services[name]?.profiles);
    const { said } = run('containers() { echo "$1"; }; services() { echo proxy-tls; }; remove_disabled', '');
    expect([...said.matchAll(/^(\S+): is removed/gm)].map(([, name]) => name).sort()).toEqual(
      ofProfiles.filter((name) => !['proxy-tls', 'operator', 'recover'].includes(name)).sort(),
    );
  });

  it('that is COMPOSE_PROFILES twice, of which the last one counts, takes no container away: a rollback or restore goes on', () => {
    const { status, said } = run(
      'containers() { echo "$1"; }; services() { echo archive; }; remove_disabled',
      'COMPOSE_PROFILES=tls\nCOMPOSE_PROFILES=archive\n',
    );
    expect(status).toBe(0);
    expect(said).toMatch(/^Warning: \.env has COMPOSE_PROFILES twice.*\n$/);
  });

  it.each(['stack_up', 'stack_upgrade'])('SECRETS_KEY_FILE stops %s before another key is made or used', (command) => {
    const { status, said } = run(command, 'SECRETS_KEY_FILE=/etc/account/key\n');
    expect({ status, said }).toEqual({
      status: 1,
      said: expect.stringMatching(/^\.env has SECRETS_KEY_FILE, .* SECRETS_KEY=…\n$/),
    });
  });

  it('SECRETS_KEY_FILE stops nothing where it counts nowhere: empty, or beside the key itself', () => {
    for (const lines of ['SECRETS_KEY_FILE=\n', 'SECRETS_KEY=key\nSECRETS_KEY_FILE=/etc/account/key\n'])
      expect(run('check_key_file', lines)).toEqual({ status: 0, said: '' });
  });
});
