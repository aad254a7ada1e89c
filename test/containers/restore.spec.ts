import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseOn, databaseServer, onNode } from '@test/database-server';

/** Not a socket, with which bash would take itself for a remote shell, and read files of this machine. */
const NO_INPUT = { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' } as const satisfies SpawnSyncOptions;

/** The scripts, with folders in the place of the volumes. */
const SCRIPTS = `
set -euo pipefail
docker() { :; }
for part in common backup rotate restore; do . "apps/operator/stack/$part.sh"; done
secrets_sh() { (cd "$FOLDER/secrets" && bash -euc "$1"); }`;

/** The step of a restore that puts the keys back. */
const USE_KEY = `${SCRIPTS}
folder=$BACKUP key=$FOLDER/given-key given=
use_key`;

/** A restore on a server without a container engine. What it does to the programs is noted. */
const RESTORE = `${SCRIPTS}
note() { echo "$*" >>"$FOLDER/steps"; }
docker() {
  case $1 in
    ps) [[ $* != *service=recover* ]] || cat "$FOLDER/recovery" 2>/dev/null || true ;;
    stop) note "docker $*"; rm "$FOLDER/recovery" ;;
  esac
}
in_postgres() { "$@"; }
key_in_env() { printf %s "\${GIVEN:-}"; }
wanted_replicas() { echo 2; }
check_secrets() { :; }
check_provider_keys() { :; }
start_all() { note start; }
is_running() { [ "$1" = postgres ]; }
put_logins() {
  [ -z "\${KILLED:-}" ] || kill -9 $$
  note "logins beside $(psql -d customer_account -c 'select count(*)::int from customer') customers"
}
recover() {
  note "recover $1 with SECRETS_KEY=\${SECRETS_KEY-of .env}"
  [ "$1" != replay ] || echo "$2" >"$FOLDER/moment"
  if [ "$1$ENDED" = replayearly ]; then echo replaying >"$FOLDER/recovery"; kill -TERM $$; sleep 1; fi
  [ -f "$FOLDER/moment.sql" ] || return 1
  [ "$1" != swap ] || psql -d customer_account <"$FOLDER/moment.sql"
}
dc() {
  case $* in
    'config --services' | 'up -d --wait postgres') ;;
    'run --rm --no-deps -T -e DATABASE_URL migrate') note "migrate $DATABASE_URL"; "\${MIGRATES:-true}" ;;
    *) note "$*" ;;
  esac
}
stack_restore "$@" --yes`;

/** PostgreSQL's program as far as a restore needs it, on databases of other names. */
const PSQL = `#!${process.execPath}
const { Client } = require(${JSON.stringify(require.resolve('pg'))});
const named = (text) => text.replace(/\\b(restored|customer_account)\\b/g, process.env.NAME + '_$1');
const given = process.argv.slice(2);
const after = (option) => given.filter((_, place) => given[place - 1] === option);
(async () => {
  const [database = ''] = after('-d');
  const statements = given.includes('-c') ? after('-c') : [require('fs').readFileSync(0, 'utf8')];
  const url = new URL(process.env.SERVER);
  if (database !== 'postgres') url.pathname = named(database);
  const client = new Client({ connectionString: url.href });
  await client.connect();
  for (const statement of statements)
    for (const row of [await client.query(named(statement))].flat().flatMap(({ rows }) => rows))
      console.log(Object.values(row).map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('|'));
  await client.end();
})().catch((error) => (console.error(error.message), process.exit(1)));
`;

describe('a restore of a backup', () => {
  const name = `restore_${randomBytes(4).toString('hex')}`;
  const [KEPT, NEW, GONE] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [string, string, string];
  const KEY = randomBytes(32).toString('base64');
  let folder: string;
  let server: string;
  const on = <Row extends object>(database: string, sql: string) =>
    onNode<Row>(databaseOn(server, `${name}_${database}`), sql);
  const positions = async () =>
    (
      await on<{ id: string; last: string }>(
        'customer_account',
        'select customer_id as id, last from event_position order by 1',
      )
    ).map(({ id, last }) => [id, Number(last)]);
  const tables = (customers: string[], events: [string, number][]) => `
    create table customer (id uuid primary key);
    create table event_position (customer_id uuid primary key, last bigint not null);
    insert into customer values ${customers.map((id) => `('${id}')`).join()};
    insert into event_position values ${events.map(([id, last]) => `('${id}', ${last})`).join()};`;
  const steps = () =>
    existsSync(join(folder, 'steps')) ? readFileSync(join(folder, 'steps'), 'utf8').trim().split('\n') : [];

  beforeEach(async () => {
    server = (await databaseServer()).nodes[0] as string;
    folder = mkdtempSync(join(tmpdir(), 'restore-'));
    for (const path of ['bin', 'backup', 'secrets/owner', 'secrets/api', 'secrets/operator'])
      mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(
      join(folder, 'secrets/owner/database-url'),
      'postgres://account_owner:p@postgres:5432/customer_account',
    );
    writeFileSync(join(folder, 'backup/secrets-key'), `${KEY}\n`);
    writeFileSync(join(folder, 'backup/account.dump'), tables([KEPT, NEW], [[KEPT, 450]]));
    writeFileSync(join(folder, 'bin/psql'), PSQL, { mode: 0o755 });
    writeFileSync(join(folder, 'bin/df'), '#!/bin/bash\necho Avail; echo "${FREE:-1000000000000}"\n', { mode: 0o755 });
    writeFileSync(join(folder, 'bin/pg_restore'), '#!/bin/bash\nexec psql -d restored\n', { mode: 0o755 });
    await onNode(server, `create database ${name}_customer_account`);
    await on(
      'customer_account',
      tables(
        [KEPT, NEW, GONE],
        [
          [KEPT, 500],
          [NEW, 7],
          [GONE, 9],
        ],
      ),
    );
  });
  afterEach(async () => {
    for (const one of ['customer_account', 'restored'])
      await onNode(server, `drop database if exists ${name}_${one} with (force)`);
    rmSync(folder, { recursive: true });
  });
  function restore(words: string[], settings: Record<string, string> = {}) {
    const env = {
      ...process.env,
      PATH: `${folder}/bin:${process.env.PATH}`,
      FOLDER: folder,
      NAME: name,
      SERVER: server,
      ENDED: '',
    };
    const options = { env: { ...env, ...settings }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', RESTORE, 'restore', ...words], {
      ...NO_INPUT,
      ...options,
    });
    return { status, said: stdout + stderr };
  }
  const isThere = async (database: string) =>
    (await onNode(server, `select from pg_database where datname = '${name}_${database}'`)).length > 0;

  it('stops the programs when the backup has been read and migrated; new events come behind those that customers have read', async () => {
    expect(restore([join(folder, 'backup')])).toEqual({ status: 0, said: '' });
    expect(steps()).toEqual([
      'migrate postgres://account_owner:p@postgres:5432/restored',
      ...['stop api worker console', 'logins beside 2 customers', 'run --rm migrate', 'start'],
    ]);
    expect(await positions()).toEqual([
      [KEPT, 500],
      [NEW, 7],
    ]);
    expect(readFileSync(join(folder, 'secrets/api/secrets-key'), 'utf8')).toBe(KEY);
  });

  it.each<[string, string, Record<string, string>]>([
    ['cannot be read', 'create table half (id', {}],
    ['the programs cannot use', '', { MIGRATES: 'false' }],
  ])('that %s changes nothing, and stops nothing', async (_, dump, settings) => {
    if (dump) writeFileSync(join(folder, 'backup/account.dump'), dump);
    expect(restore([join(folder, 'backup')], settings)).toMatchObject({
      status: 1,
      said: expect.stringContaining('nothing has been changed'),
    });
    expect(steps().filter((step) => !step.startsWith('migrate'))).toEqual([]);
    expect(await positions()).toHaveLength(3);
    expect(await isThere('restored')).toBe(false);
  });

  it('says before it asks that the disk may have no room for a second database', async () => {
    await on('customer_account', `create table large as select repeat('x', 1000) as x from generate_series(1, 20000)`);
    const { status, said } = restore([join(folder, 'backup')], { FREE: '20000000' });
    expect({ status, said }).toEqual({
      status: 0,
      said: expect.stringMatching(/^Warning: .* may need 0\.0 GB, and the disk has 0\.0 GB free\..*\n$/),
    });
    expect(restore([join(folder, 'backup')], { FREE: '20000000' })).toEqual({ status: 0, said: '' });
  });

  it.each([[['--to']], [['backup', '--to', '']], [['backup', '--secrets-key']], [['backup', '--secrets-key', '']]])(
    'goes by no option without a value: %j',
    async (words) => {
      const said = `restore: ${words.find((word) => word.startsWith('--'))} has no value. Nothing has been changed\n`;
      expect(restore(words.map((word) => (word === 'backup' ? join(folder, word) : word)))).toEqual({
        status: 1,
        said,
      });
      expect(steps()).toEqual([]);
      expect(await positions()).toHaveLength(3);
    },
  );

  it('takes no other text for a key', () => {
    writeFileSync(join(folder, 'key'), `${KEY}\r\n`);
    expect(restore([join(folder, 'backup'), '--secrets-key', join(folder, 'key')])).toMatchObject({
      status: 1,
      said: expect.stringContaining('nothing has been changed'),
    });
    expect(steps()).toEqual([]);
  });

  it('to a moment takes the key of that time from .env too, where the stored secrets have another one', () => {
    const words = ['--to', 'latest', '--secrets-key', join(folder, 'backup/secrets-key')];
    restore(words, { GIVEN: KEY });
    expect(steps()).toEqual(['recover find with SECRETS_KEY=']);
    expect(restore(words, { GIVEN: randomBytes(32).toString('base64') }).said).toContain('Nothing has been changed');
    expect(steps()).toHaveLength(1);
  });

  it.each([
    ['10 minutes ago', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9} UTC$/],
    ['2026-11-22T11:15:30.5+01:00', /^2026-11-22 10:15:30\.500000000 UTC$/],
    ['latest', /^latest$/],
  ])('to a moment goes to the one that it shows, whenever it is confirmed: %s', (given, moment) => {
    writeFileSync(join(folder, 'moment.sql'), 'select');
    expect(restore(['--to', given, '--keep-secrets-key'])).toMatchObject({ status: 0 });
    expect(readFileSync(join(folder, 'moment'), 'utf8').trim()).toMatch(moment);
  });

  it('to a moment leaves no recovery at work when it is interrupted, nor beside the next one', () => {
    writeFileSync(join(folder, 'moment.sql'), 'select');
    restore(['--to', 'latest', '--keep-secrets-key'], { ENDED: 'early' });
    expect(steps().slice(-2)).toEqual([expect.stringContaining('recover replay'), 'docker stop --time 60 replaying']);
    // Of a command that was killed.
    writeFileSync(join(folder, 'recovery'), 'left');
    writeFileSync(join(folder, 'steps'), '');
    expect(restore(['--to', 'latest', '--keep-secrets-key'])).toMatchObject({ status: 0 });
    expect(steps()[0]).toBe('docker stop --time 60 left');
  });

  it.each([[['--to', 'latest']], [['backup']]])(
    'that was interrupted when the database was one of former times loses no event behind those that customers have read: %j',
    async (words) => {
      writeFileSync(join(folder, 'moment.sql'), `update event_position set last = 3 where customer_id <> '${GONE}'`);
      restore(['--to', 'latest', '--keep-secrets-key'], { KILLED: 'yes' });
      expect((await positions())[0]).toEqual([KEPT, 3]);
      const again = words.map((word) => (word === 'backup' ? join(folder, word) : word));
      expect(restore([...again, '--keep-secrets-key'])).toMatchObject({ status: 0 });
      expect((await positions()).slice(0, 2)).toEqual([
        [KEPT, 500],
        [NEW, 7],
      ]);
      expect(existsSync(join(folder, 'secrets/owner/event-positions'))).toBe(false);
    },
  );
});

describe('a restore of a backup of another user', () => {
  it('says that it is, and how to go on', () => {
    const folder = mkdtempSync(join(tmpdir(), 'backup-of-other-'));
    const own = process.getuid?.() !== 0;
    // Root may read everything: it becomes somebody who has no right here, and whose shell is given the scripts.
    chmodSync(folder, own ? 0o000 : 0o700);
    const scripts = ['common', 'restore'].map((part) => readFileSync(`apps/operator/stack/${part}.sh`, 'utf8'));
    const RESTORE_DUMP = `set -euo pipefail\ndocker() { :; }\n${scripts.join('\n')}\nfolder=$1 key= keep_key=\nrestore_dump`;
    const { status, stderr } = spawnSync('bash', ['-c', RESTORE_DUMP, 'restore', folder], {
      ...NO_INPUT,
      ...(own ? {} : { cwd: '/', uid: 65_534, gid: 65_534 }),
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining(`sudo apps/operator/stack.sh restore ${folder}\n`),
    });
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });
});

describe('the logins of a restore to a moment', () => {
  const PUT_LOGINS = `${SCRIPTS}
secrets_sh() {
  case $1 in
    *owner/password*) echo of-owner ;;
    sed*api/*) echo api_login_7 ;;
    sed*operator/*) echo operator_login ;;
    *api/*) echo postgres://api_login_7:of-api@postgres:5432/customer_account ;;
    *) echo postgres://operator_login:of-operator@postgres:5432/customer_account ;;
  esac
}
logins() { printf '%s\\n' account_owner api_login api_login_5 api_login_7 operator_login reports; }
sql() { printf '%s\\n' "$1"; [[ $1 != 'drop role api_login_5' ]]; }
put_logins`;

  it('are those of the programs: what was taken away since does not come back, and holds nothing up', () => {
    const { status, stdout } = spawnSync('bash', ['-c', PUT_LOGINS], NO_INPUT);
    expect(status).toBe(0);
    expect(stdout.match(/(?<=alter role )\S+ password \S+|drop role .*/g)).toEqual([
      ...[
        "account_owner password 'of-owner'",
        "api_login_7 password 'of-api'",
        "operator_login password 'of-operator'",
      ],
      ...['drop role api_login', 'drop role api_login_5'],
    ]);
    expect(stdout).toContain('The login api_login_5 has rights or objects of its own');
  });
});

describe('the keys of a restore', () => {
  let folder: string;
  const PROGRAMS = ['owner', 'api', 'operator'];
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const keys = () =>
    PROGRAMS.map((who) => [read(`secrets/${who}/secrets-key`), read(`secrets/${who}/former-secrets-key`)]);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'restored-keys-'));
    for (const who of PROGRAMS) {
      mkdirSync(join(folder, 'secrets', who), { recursive: true });
      write(`secrets/${who}/secrets-key`, 'present');
      write(`secrets/${who}/former-secrets-key`, 'before');
    }
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const restore = (key: string, backup = '') => {
    write('given-key', key);
    const env = { ...process.env, FOLDER: folder, BACKUP: backup };
    const { status, stdout, stderr } = spawnSync('bash', ['-c', USE_KEY], { ...NO_INPUT, env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };

  it('are those that were given, and those that they replace are kept for another moment', () => {
    expect(restore('older')).toContain('cat /secrets/owner/replaced-secrets-keys');
    expect(keys()).toEqual(PROGRAMS.map(() => ['older', '']));
    expect(read('secrets/owner/replaced-secrets-keys')).toBe('present\nbefore\n');
    restore('oldest');
    restore('older');
    expect(read('secrets/owner/replaced-secrets-keys')).toBe('present\nbefore\nolder\noldest\n');
  });

  it('are those of a backup, of which none is replaced', () => {
    mkdirSync(join(folder, 'backup'));
    write('backup/former-secrets-key', 'before');
    expect(restore('present', join(folder, 'backup'))).toBe('');
    expect(keys()).toEqual(PROGRAMS.map(() => ['present', 'before']));
  });
});
