import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig } from '../load-config';
import { configSchema } from '../schema';
import { SECRET_SETTINGS } from '../secret-settings';
import { SET_BY_COMPOSE, withComposeSettings } from './settings-documents';

interface Service {
  image: string;
  build?: string;
  profiles?: string[];
  mem_limit?: string;
  logging?: { options?: object };
  environment?: Record<string, string>;
  secrets?: string[];
  command?: string | string[];
  volumes?: string[];
}

const text = readFileSync('docker-compose.yml', 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
const settingsOf = (service: string) => services[service]?.environment ?? {};
/** Secrets that a service gets from .env. */
const secretsOf = (service: string) =>
  SECRET_SETTINGS.filter((name) => settingsOf(service)[name] === `\${${name}:-}`).sort();

describe('docker-compose.yml', () => {
  it('has the blocks that `npm run settings` makes of the schema', () => expect(text).toBe(withComposeSettings(text)));

  it('gives every setting to a program, but for those that it decides itself', () => {
    const programs = ['api', 'worker', 'console', 'operator', 'migrate'];
    const given = new Set(programs.flatMap((program) => Object.keys(settingsOf(program))));
    const names = Object.keys(configSchema.shape);
    expect(names.filter((name) => !given.has(name) && !SET_BY_COMPOSE.includes(name))).toEqual([]);
  });

  it("gives the worker the settings by which it knows how long the API's calls to AI provider and SMS gateway may take", () => {
    const names = [
      'AI_UPSTREAM_TIMEOUT_MS',
      'AI_STREAM_TIMEOUT_MS',
      'AI_RESERVATION_MARGIN_MS',
      'SMS_GATEWAY_TIMEOUT_MS',
    ];
    const given = (service: string) => names.map((name) => settingsOf(service)[name]);
    expect(given('worker')).toEqual(given('api'));
  });

  it('gives each container the secrets that its program needs, and no file with all of them', () => {
    const billing = ['FIKEN_TOKEN', 'STRIPE_SECRET_KEY'];
    const traces = ['OTEL_EXPORTER_OTLP_HEADERS'];
    const all = [...billing, 'ANTHROPIC_API_KEY', 'ELKS_PASSWORD', 'LINK_PASSWORD'].sort();
    expect(Object.fromEntries(Object.keys(services).map((service) => [service, secretsOf(service)]))).toEqual({
      proxy: [],
      'proxy-tls': [],
      api: [...all, ...traces].sort(),
      worker: [...billing, ...traces].sort(),
      operator: [...all, ...traces, 'OPERATOR_OIDC_CLIENT_SECRET'].sort(),
      console: [...all, ...traces, 'OPERATOR_OIDC_CLIENT_SECRET'].sort(),
      'console-tls': [],
      migrate: [],
      postgres: [],
      valkey: [],
      secrets: ['SECRETS_KEY'],
      archive: [],
      recover: [],
      prometheus: [],
      alertmanager: [],
      grafana: [],
    });
    expect(text).not.toContain('env_file');
  });

  it('gives each container the files of the secrets that it needs, from the machine', () => {
    const files = Object.fromEntries(
      SECRET_SETTINGS.filter((name) => secretsOf('console').includes(name)).map((name) => [
        name,
        { file: `\${${name}_FILE:-/dev/null}` },
      ]),
    );
    expect(parse(text)).toHaveProperty('secrets', files);
    for (const [name, { secrets = [] }] of Object.entries(services)) {
      expect([...secrets].sort()).toEqual(name === 'secrets' ? [] : secretsOf(name));
      for (const secret of secrets) expect(settingsOf(name)).toHaveProperty(`${secret}_FILE`, `/run/secrets/${secret}`);
    }
  });

  it("gives a person's name to the command line alone: a program would be replaced when another person runs stack.sh", () => {
    const named = Object.keys(services).filter((service) => 'OPERATOR_NAME' in settingsOf(service));
    expect(named).toEqual(['operator']);
  });

  it('builds the image once, for all programs', () => {
    const programs = Object.entries(services).filter(([, { image }]) => image.startsWith('customer-account-service:'));
    expect(programs.map(([name]) => name)).toEqual(['api', 'worker', 'console', 'operator', 'migrate']);
    expect(programs.filter(([, { build }]) => build !== undefined).map(([name]) => name)).toEqual(['migrate']);
  });

  it('gives Grafana a password of its own instead of its default', () => {
    expect(services.grafana).toMatchObject({
      environment: { GF_SECURITY_ADMIN_PASSWORD__FILE: '/run/service/password' },
      volumes: expect.arrayContaining(['grafana-secrets:/run/service:ro']),
      depends_on: { secrets: { condition: 'service_completed_successfully' } },
    });
    expect(services.secrets).toMatchObject({
      volumes: expect.arrayContaining(['grafana-secrets:/secrets/grafana']),
      command: expect.arrayContaining([expect.stringContaining('password | keep grafana/password\n')]),
    });
  });

  it.each(Object.keys(services))('bounds memory and logs of %s', (service) => {
    expect(services[service]).toMatchObject({
      mem_limit: expect.stringMatching(/\d+[mg]\b/),
      logging: { options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
    });
  });

  it("gives the database and the archive the owner's password, and no key", () => {
    const mounting = (volume: string) =>
      ['docker-compose.yml', 'docker-compose.citus.yml'].flatMap((path) => {
        const all = (parse(readFileSync(path, 'utf8'), { merge: true }) as { services: Record<string, Service> })
          .services;
        return Object.keys(all).filter((name) => all[name]?.volumes?.some((one) => one.startsWith(`${volume}:`)));
      });
    expect(mounting('owner-secrets').sort()).toEqual(['migrate', 'secrets']);
    expect(mounting('postgres-secrets').sort()).toEqual([
      ...['archive', 'cluster', 'postgres', 'postgres-worker-1', 'postgres-worker-2', 'secrets'],
    ]);
  });

  it('names a version of every image, and a distribution where data or libraries depend on it', () => {
    const images = Object.values(services)
      .filter(({ image }) => !image.startsWith('customer-account-service:'))
      // One that a setting replaces has its default there.
      .map(({ image }) => /^\$\{\w+:-(.+)\}$/.exec(image)?.[1] ?? image);
    expect([...new Set(images)].sort()).toEqual([
      'grafana/grafana:12.1.0',
      'nginx:1',
      'postgres:17-trixie',
      'prom/alertmanager:v0.28.1',
      'prom/prometheus:v3.5.0',
      'valkey/valkey:8-trixie',
    ]);
    const bases = [...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(new Set(bases)).toEqual(new Set(['node:24-bookworm-slim']));
  });
});

describe('the container of the secrets', () => {
  const [key, weak] = [randomBytes(32).toString('base64'), Buffer.alloc(32, 7).toString('base64')];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    for (const volume of [
      'archive',
      ...['owner', 'postgres', 'api', 'operator', 'grafana', 'logins'].map((one) => `secrets/${one}`),
    ])
      mkdirSync(join(folder, volume), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  /** Runs its script on folders. @returns what it says when it fails */
  function make(SECRETS_KEY: string): string {
    const script = (services.secrets?.command?.[2] ?? '').replaceAll('$$', '$');
    const moved = script.replaceAll(/(?<=\s)\/(secrets|archive)/g, `${folder}/$1`);
    const { stderr } = spawnSync('bash', ['-euc', moved], {
      env: { ...process.env, SECRETS_KEY },
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    return stderr;
  }
  const keys = () =>
    ['owner', 'api', 'operator'].map((who) => readFileSync(join(folder, 'secrets', who, 'secrets-key'), 'utf8'));

  it.each([
    ['a word', 'hello'],
    ['a key without its begin', key.slice(1)],
    ['a key and a space', `${key} `],
    ['bytes that are alike', weak],
    ['33 bytes', randomBytes(33).toString('base64')],
  ])('keeps nothing as a key that no program takes, so that it can be corrected: %s', (_, given) => {
    expect(make(given)).toBe('SECRETS_KEY must be 32 random bytes in base64: openssl rand -base64 32\n');
    expect(readdirSync(join(folder, 'secrets/operator'))).toEqual([]);
    expect(make(key)).toBe('');
    expect(keys()).toEqual([key, key, key]);
  });

  it("gives the database the owner's password alone, also in a folder that a former release did not have, or did not change", () => {
    const passwords = () =>
      ['owner', 'postgres'].map((who) => readFileSync(join(folder, 'secrets', who, 'password'), 'utf8'));
    expect(make('')).toBe('');
    const [made] = passwords();
    expect(made).toMatch(/^[0-9a-f]{48}$/);
    expect(passwords()).toEqual([made, made]);
    rmSync(join(folder, 'secrets/postgres/password'));
    expect(make('')).toBe('');
    expect(passwords()).toEqual([made, made]);
    rmSync(join(folder, 'secrets/owner/password'));
    writeFileSync(join(folder, 'secrets/owner/password'), 'rotated');
    expect(make('')).toBe('');
    expect(passwords()).toEqual(['rotated', 'rotated']);
    expect(readdirSync(join(folder, 'secrets/postgres'))).toEqual(['password']);
  });

  it('makes a key that the programs take, and keeps it', () => {
    expect(make('')).toBe('');
    const made = keys();
    expect(new Set(made).size).toBe(1);
    expect(loadConfig({ SECRETS_KEY: made[0] }).SECRETS_KEY).toBe(made[0]);
    expect(make('')).toBe('');
    expect(keys()).toEqual(made);
    expect(make(key)).toContain('is not the key that stored secrets were encrypted with');
  });
});
