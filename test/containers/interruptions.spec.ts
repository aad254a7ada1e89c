import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every third step is the one at which a script is killed, from another one each time; `npm run accept:interruptions`: each of them. */
const STRIDE = Number(process.env.ACCEPT_STRIDE ?? 3);
const firstKill = () => randomInt(1, STRIDE + 1);

/** Runs a script in a process group of its own, which it kills at a step. */
function run(script: string, words: string[], env: Record<string, string>) {
  const { status, stderr, stdout } = spawnSync('setsid', ['--wait', script, ...words], {
    encoding: 'utf8',
    // Not a socket: bash would take itself for a remote shell, and read files of this machine.
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  return { status, said: stdout + stderr };
}

describe('stack.sh', () => {
  const [FORMER, PRESENT, NEXT] = ['sha256:f', 'sha256:e', 'sha256:d'];
  const PROGRAMS = ['replica', 'api', 'worker', 'console', 'console-tls'];
  let folder: string;
  const read = (path: string) => readFileSync(join(folder, path), 'utf8').trim();
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const state = () => ({
    programs: [...new Set(readdirSync(join(folder, 'programs')).map((name) => read(`programs/${name}`)))],
    local: read('tags/service:local'),
    former: read('tags/service:former-simulated'),
  });
  const rollback = (killAt?: number, words: string[] = [], settings: Record<string, string> = {}) => {
    write('steps', '');
    const env = { FOLDER: folder, KILL_AT: String(killAt ?? ''), ...settings };
    return run('test/containers/simulated-images.sh', ['rollback', ...words], env);
  };
  const upgrade = (settings: Record<string, string> = {}) => {
    write('steps', '');
    return run('test/containers/simulated-images.sh', ['upgrade'], { FOLDER: folder, BUILT: NEXT, ...settings });
  };
  const up = (settings: Record<string, string>) => {
    write('steps', '');
    return run('test/containers/simulated-images.sh', ['up'], { FOLDER: folder, ...settings });
  };
  /** All programs run the present image, beside a database that is in this state. */
  const begin = (postgres = 'running') => {
    for (const path of ['migrated', ...PROGRAMS.map((name) => `programs/${name}`)]) write(path, PRESENT);
    write('tags/service:local', PRESENT);
    write('tags/service:former-simulated', FORMER);
    write('postgres', `former ${postgres}`);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'images-'));
    for (const name of ['tags', 'programs', 'secrets', 'secrets/owner']) mkdirSync(join(folder, name));
    write('tags/service:1.0.0-former', FORMER);
    begin();
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const backAtFormer = { programs: [FORMER], local: FORMER, former: PRESENT };
  const forward = { programs: [PRESENT], local: PRESENT, former: FORMER };

  it('upgrades: no command takes the new image before the database is migrated for it, wherever it was interrupted', () => {
    for (let killAt = firstKill(); ; killAt += STRIDE) {
      const { status } = upgrade({ KILL_AT: String(killAt) });
      if (state().local === NEXT) expect({ killAt, migrated: read('migrated') }).toEqual({ killAt, migrated: NEXT });
      else expect({ killAt, ...state() }).toEqual({ killAt, programs: [PRESENT], local: PRESENT, former: FORMER });
      expect(upgrade()).toMatchObject({ status: 0 });
      expect(state()).toEqual({ programs: [NEXT], local: NEXT, former: PRESENT });
      if (status === 0) return expect(killAt).toBeGreaterThan(8);
      begin();
    }
  });

  it('upgrades while the service is stopped: the image that ran before is the former one, wherever it was interrupted', () => {
    // After the build, the start of the database, the migrations, and each of the first tags: the former one's, the candidate's and the release's.
    for (const killAt of [1, 2, 3, 4, 5, 6]) {
      begin('exited');
      expect(upgrade({ STOPPED: 'true', KILL_AT: String(killAt) }).status).not.toBe(0);
      expect({ killAt, ...upgrade({ STOPPED: 'true' }) }).toMatchObject({ killAt, status: 0 });
      expect({ killAt, ...state() }).toEqual({ killAt, programs: [NEXT], local: NEXT, former: PRESENT });
    }
  });

  it.each<[string, Record<string, string>]>([
    ['running', {}],
    ['exited', { STOPPED: 'true' }],
  ])('changes nothing by an upgrade whose migrations fail, with a database that was %s', (postgres, settings) => {
    begin(postgres);
    expect(upgrade({ ...settings, REFUSES: 'refused' }).status).not.toBe(0);
    expect(state()).toEqual({ programs: [PRESENT], local: PRESENT, former: FORMER });
  });

  it.each([
    ['up', up],
    ['upgrade', upgrade],
  ])('%s goes on with an upgrade that was interrupted while it replaced the database', (_, goOn) => {
    // When its container was stopped, when it was removed, and when the new one was made.
    for (const [killAt, left] of [
      [7, 'former exited'],
      [8, undefined],
      [9, 'other created'],
    ] as const) {
      begin();
      expect(upgrade({ SETTINGS: 'other', KILL_AT: String(killAt) }).status).not.toBe(0);
      expect({ killAt, left: existsSync(join(folder, 'postgres')) ? read('postgres') : undefined }).toEqual({
        killAt,
        left,
      });
      expect({ killAt, ...goOn({ SETTINGS: 'other' }) }).toMatchObject({ killAt, status: 0 });
      expect(read('postgres')).toBe('other running');
      expect(state()).toEqual({ programs: [NEXT], local: NEXT, former: PRESENT });
    }
  });

  it('names the rotation that was interrupted where an upgrade cannot migrate: the owner may have a password that nobody knows', () => {
    write('secrets/owner/passwords-are-rotated', 'yes');
    const { status, said } = upgrade({ REFUSES: 'refused' });
    expect(status).not.toBe(0);
    expect(said).toContain('To go on with it: apps/operator/stack.sh rotate database-passwords');
  });

  it('rolls back to the former image, and then back again', () => {
    expect(rollback()).toMatchObject({ status: 0 });
    expect(state()).toEqual(backAtFormer);
    expect(rollback()).toMatchObject({ status: 0 });
    expect(state()).toEqual(forward);
  });

  it('rolls back where no replica runs, as when those of the present image end again and again', () => {
    begin('exited');
    expect(rollback(undefined, [], { STOPPED: 'true' })).toMatchObject({ status: 0 });
    expect(state()).toEqual(backAtFormer);
    expect(existsSync(join(folder, 'secrets/owner/rollback'))).toBe(false);
  });

  it('rolls back to an image without the console, which is left out, and forward again', () => {
    const settings = { WITHOUT_CONSOLE: FORMER };
    const { status, said } = rollback(undefined, [], settings);
    expect({ status, said }).toEqual({
      status: 0,
      said: expect.stringContaining('console: is left out, as this release has no console\n'),
    });
    expect(state()).toEqual(backAtFormer);
    expect(existsSync(join(folder, 'secrets/owner/rollback'))).toBe(false);
    expect(up(settings)).toMatchObject({ status: 0 });
    expect(up({ ...settings, STOPPED: 'true' })).toMatchObject({ status: 0 });
    expect(readdirSync(join(folder, 'programs')).sort()).toEqual(['api', 'replica', 'worker']);
    expect(rollback(undefined, [], settings)).toMatchObject({ status: 0 });
    expect(state()).toEqual(forward);
    expect(readdirSync(join(folder, 'programs')).sort()).toEqual(PROGRAMS.toSorted());
  });

  it.each([[], ['1.0.0-former']])(
    'goes on with a rollback that was interrupted at any step, and does not undo it: %s',
    (...words) => {
      for (let killAt = firstKill(); ; killAt += STRIDE) {
        if (rollback(killAt, words).status === 0) {
          expect(killAt).toBeGreaterThan(8);
          return;
        }
        if (state().local === FORMER)
          expect({ killAt, checked: read('migrated') }).toEqual({ killAt, checked: FORMER });
        const { status, said } = rollback(undefined, words);
        // The very last step is the end of its note.
        const isDone = state().local === PRESENT || said.includes('is the image that runs');
        if (!isDone) expect({ killAt, status, said, ...state() }).toMatchObject({ killAt, status: 0, ...backAtFormer });
        else expect(killAt).toBeGreaterThan(8);
        begin();
        rmSync(join(folder, 'secrets/owner/rollback'), { force: true });
      }
    },
  );

  it.each([
    ['The database was made by another version of this service (it has no table other)', 'Restore a backup'],
    ['The database refuses the user or password in DATABASE_URL', 'stack.sh rotate database-passwords'],
  ])('changes nothing by a rollback whose check fails, and says what to do: %s', (refused, advice) => {
    write('secrets/owner/passwords-are-rotated', 'yes');
    const { status, said } = rollback(undefined, [], { REFUSES: refused });
    expect({ status, ...state() }).toEqual({ status: 1, ...forward });
    expect(said).toContain(refused);
    expect(['Restore a backup', 'stack.sh rotate database-passwords'].filter((one) => said.includes(one))).toEqual([
      advice,
    ]);
    expect(readdirSync(join(folder, 'secrets/owner'))).toEqual(['passwords-are-rotated']);
    expect(readdirSync(join(folder, 'tags')).some((tag) => tag.includes('candidate'))).toBe(false);
  });

  it.each<Record<string, string>>([{}, { STOPPED: 'true' }])(
    'removes what a profile started that .env names no more, and leaves the database: %j',
    (settings) => {
      const { status, said } = up({ ...settings, DISABLED: 'console-tls' });
      expect({ status, said }).toMatchObject({
        ...{ status: 0, said: expect.stringMatching(/^console-tls: is removed, as .*\n/) },
      });
      expect(readdirSync(join(folder, 'programs')).sort()).toEqual(['api', 'console', 'replica', 'worker']);
      expect(read('postgres')).toBe('former running');
      expect(up({ ...settings, DISABLED: 'console-tls' }).said).not.toContain('removed');
    },
  );

  it('says that a machine has no flock, rather than that another command is at work', () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    for (const name of ['bash', 'dirname', 'head', 'id', 'sed', 'setsid'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
    writeFileSync(join(bin, 'docker'), '#!/bin/sh\n', { mode: 0o755 });
    expect(run('apps/operator/stack.sh', ['scale', '2'], { PATH: bin })).toEqual({
      status: 1,
      said: expect.stringMatching(/^There is no flock on this machine .*\n$/),
    });
  });

  it('gives up an interrupted rollback for the other image', () => {
    expect(rollback(7).status).not.toBe(0);
    expect(rollback(undefined, ['former-simulated'])).toMatchObject({ status: 0 });
    expect(state()).toEqual(forward);
  });
});

describe('replicas of the API', () => {
  let folders: string;
  let folder: string;
  beforeEach(() => {
    folders = mkdtempSync(join(tmpdir(), 'replicas-'));
    folder = join(folders, 'first');
    mkdirSync(folder);
  });
  afterEach(() => rmSync(folders, { recursive: true }));
  const stack = (words: string, settings: Record<string, string> = {}) => {
    writeFileSync(join(folder, 'steps'), '');
    return run('test/containers/simulated-replicas.sh', words.split(' '), { FOLDER: folder, ...settings });
  };
  const inFolder = (path: string) => join(folder, path);
  /** Their shares of the CPU, and those that the proxy chooses from. */
  const state = () => ({
    shares: readdirSync(inFolder('made')).map((one) => readFileSync(inFolder(`made/${one}`), 'utf8').trim()),
    chosen: [...readFileSync(inFolder('proxy/replicas.conf'), 'utf8').matchAll(/^ {2}server (\S+):3000/gm)].map(
      ([, address]) => address,
    ),
  });
  const all = (count: number) => ({ shares: Array.from({ length: count }, () => '1024'), chosen: ['api'] });

  it.each([
    ['stack_scale 3', 'stack_scale 3', 3],
    ['stack_scale 1', 'stack_scale 1', 1],
    ['stack_restart api', 'stack_scale 2', 2],
  ])('all get requests, and their CPU, after %s that was interrupted at any step, and %s', (first, then, count) => {
    expect(stack('stack_scale 2').status).toBe(0);
    expect(state()).toEqual(all(2));
    const begin = folder;
    for (let killAt = firstKill(); ; killAt += STRIDE) {
      folder = join(folders, String(killAt));
      cpSync(begin, folder, { recursive: true });
      const { status } = stack(first, { KILL_AT: String(killAt) });
      expect({ killAt, ...stack(then) }).toMatchObject({ killAt, status: 0 });
      expect({ killAt, ...state() }).toEqual({ killAt, ...all(count) });
      if (status === 0) return expect(killAt).toBeGreaterThan(6);
    }
  });

  it('all get requests after a start, if a command was interrupted before', () => {
    expect(stack('stack_scale 2').status).toBe(0);
    expect(stack('stack_scale 3', { KILL_AT: '4' }).status).not.toBe(0);
    expect(state().chosen).toHaveLength(2);
    expect(stack('start_all').status).toBe(0);
    expect(state().chosen).toEqual(['api']);
  });

  it('get their CPU where the proxy that asks them does not run, as that with TLS does', () => {
    for (const words of ['stack_scale 2', 'stack_restart api']) {
      expect(stack(words, { PROXY: 'proxy-tls' }).status).toBe(0);
      expect(state()).toEqual(all(2));
    }
  });
});

/** The folder of a database and an archive with one base backup, with PostgreSQL's programs as far as recover.sh needs them. */
class Database {
  readonly folder = mkdtempSync(join(tmpdir(), 'recover-'));
  private readonly data = join(this.folder, 'data');

  constructor() {
    const base = join(this.folder, 'archive/20260101T000000Z/base/20260101T000000Z');
    for (const path of ['bin', 'data', 'recovered', 'wal', 'archive/20260101T000000Z/wal'])
      mkdirSync(join(this.folder, path), { recursive: true });
    mkdirSync(base, { recursive: true });
    this.fill('recovered', 'recovered');
    spawnSync('tar', ['czf', join(base, 'base.tar.gz'), '-C', join(this.folder, 'recovered'), '.']);
    spawnSync('tar', ['czf', join(base, 'pg_wal.tar.gz'), '-C', join(this.folder, 'wal'), '.']);
    this.fill('data', 'former');
    const step = `echo >>'${this.folder}/steps'; [ "$(wc -l <'${this.folder}/steps')" != "$KILL_AT" ] || kill -9 0`;
    const programs = {
      ...{ pg_ctl: 'exit 0', pg_isready: 'exit 0', pg_verifybackup: 'exit 0' },
      pg_controldata: `echo 'Bytes per WAL segment:                16777216'`,
      df: `echo Avail; cat '${this.folder}/free'`,
      // Entry by entry, as it does itself.
      mv: `if [ "$1" = -t ]; then to=$2; shift 2; else to=$2; set -- "$1"; fi
        for one in "$@"; do /bin/mv -t "$to" "$one" 2>/dev/null || /bin/mv "$one" "$to" || exit 1; ${step}; done`,
      rm: `for one in "$@"; do case $one in -*) ;; *) /bin/rm -rf "$one"; ${step} ;; esac; done`,
    };
    for (const [name, does] of Object.entries(programs))
      writeFileSync(join(this.folder, 'bin', name), `#!/bin/bash\n${does}\n`, { mode: 0o755 });
    for (const name of ['recover.sh', 'archive-folders.sh', 'start.sh']) {
      const text = readFileSync(join('apps/operator/postgres', name), 'utf8');
      const moved = text
        .replaceAll('/tmp/', `${this.folder}/`)
        .replaceAll(/\/archive(?![\w.-])/g, `${this.folder}/archive`);
      writeFileSync(join(this.folder, name), moved, { mode: 0o755 });
    }
    writeFileSync(join(this.folder, 'recovery.log'), '');
    writeFileSync(
      join(base, 'backup_manifest'),
      `{ "PostgreSQL-Backup-Manifest-Version": 2,\n"Files": [\n${[2_000_000_000, 500_000_000].map((size) => `{ "Path": "base/1", "Size": ${size}, "Last-Modified": "2026-01-01 00:00:00 GMT" }`).join(',\n')}\n] }\n`,
    );
    this.free(4e9);
  }

  /** So many bytes of the disk are free. */
  free = (bytes: number) => writeFileSync(join(this.folder, 'free'), `${bytes}\n`);

  private fill(folder: string, whose: string) {
    for (const path of ['base/1', 'base/5', 'global', 'pg_wal'])
      mkdirSync(join(this.folder, folder, path), { recursive: true });
    for (const path of ['PG_VERSION', 'base/1/1259', 'base/5/2619', 'global/pg_control', 'postgresql.conf'])
      writeFileSync(join(this.folder, folder, path), whose);
  }

  run(script: string, words: string[], killAt = 0) {
    writeFileSync(join(this.folder, 'steps'), '');
    return run(join(this.folder, script), words, {
      ...{ PATH: `${this.folder}/bin:${process.env.PATH}`, PGDATA: this.data, KILL_AT: String(killAt) },
    });
  }

  /** Whose data each file is, and what else is in the folder. */
  state() {
    const files = ['PG_VERSION', 'base/1/1259', 'base/5/2619', 'global/pg_control', 'postgresql.conf'];
    return {
      whose: [...new Set(files.map((name) => readFileSync(join(this.data, name), 'utf8')))],
      others: readdirSync(this.data).filter((name) => name.startsWith('.')),
    };
  }
  /** What is left of an interrupted restore, in the folder of the database or of what its base backup has. */
  leave(where: 'data' | 'recovered', remains: string) {
    mkdirSync(join(this.folder, where, remains, 'base'), { recursive: true });
    if (where === 'data') return;
    const base = join(this.folder, 'archive/20260101T000000Z/base/20260101T000000Z');
    spawnSync('tar', ['czf', join(base, 'base.tar.gz'), '-C', join(this.folder, where), '.']);
  }
  /** The archive begins anew, and its base backup is in progress. */
  beginHistory = (name: string) => mkdirSync(join(this.folder, 'archive', name, 'base/base.new'), { recursive: true });
  does = (program: string, does: string) =>
    writeFileSync(join(this.folder, 'bin', program), `#!/bin/bash\n${does}\n`, { mode: 0o755 });
  fail = (program: string) => this.does(program, 'exit 1');
  isSwapping = () => existsSync(join(this.data, '.swapping'));
  remove = () => rmSync(this.folder, { recursive: true, force: true });
}

describe('the last step of a restore to a moment', () => {
  /** Interrupted at each of the chosen steps. */
  function interruptedSwaps(goOn: (database: Database, killAt: number) => void) {
    for (let killAt = firstKill(); ; killAt += STRIDE) {
      const database = new Database();
      expect(database.run('recover.sh', ['replay', 'latest'])).toEqual({ status: 0, said: '' });
      const { status } = database.run('recover.sh', ['swap'], killAt);
      if (status !== 0) goOn(database, killAt);
      else expect(database.state()).toEqual({ whose: ['recovered'], others: [] });
      database.remove();
      if (status === 0) return expect(killAt).toBeGreaterThan(10);
    }
  }

  it('can be repeated wherever it was interrupted, and no database starts until then', () => {
    interruptedSwaps((database, killAt) => {
      if (database.isSwapping()) {
        const { status, said } = database.run('start.sh', []);
        expect({ killAt, status, said }).toMatchObject({
          ...{ killAt, status: 1, said: expect.stringContaining('A restore was interrupted') },
        });
      }
      expect({ killAt, ...database.run('recover.sh', ['replay', 'latest']) }).toEqual({ killAt, status: 0, said: '' });
      expect({ killAt, ...database.run('recover.sh', ['swap']) }).toEqual({ killAt, status: 0, said: '' });
      expect({ killAt, ...database.state() }).toEqual({ killAt, whose: ['recovered'], others: [] });
    });
  });

  it('can be undone wherever it was interrupted, also if that is interrupted', () => {
    interruptedSwaps((database, killAt) => {
      if (!database.isSwapping()) return;
      expect(database.run('recover.sh', ['undo'], 2).status).not.toBe(64);
      expect({ killAt, ...database.run('recover.sh', ['undo']) }).toEqual({ killAt, status: 0, said: '' });
      expect({ killAt, ...database.state() }).toMatchObject({ killAt, whose: ['former'] });
      expect(database.isSwapping()).toBe(false);
    });
  });

  it('leaves a database that starts, also while its volume of secrets is empty: only a new one is given a password', () => {
    const database = new Database();
    database.does('docker-entrypoint.sh', 'echo "started with ${POSTGRES_PASSWORD_FILE-no file}"');
    expect(database.run('start.sh', [])).toMatchObject({ status: 0, said: 'started with no file\n' });
    database.remove();
  });

  it('succeeds from a base backup that contains what an interrupted restore had left', () => {
    const database = new Database();
    database.leave('data', '.recovered');
    for (const remains of ['.recovered', '.former', '.swapping', '.replaced']) database.leave('recovered', remains);
    expect(database.run('recover.sh', ['replay', 'latest'])).toEqual({ status: 0, said: '' });
    expect(database.run('recover.sh', ['swap'])).toEqual({ status: 0, said: '' });
    expect(database.state()).toEqual({ whose: ['recovered'], others: [] });
    database.remove();
  });

  it.each(['pg_verifybackup', 'pg_ctl'])('leaves nothing where %s failed before it', (program) => {
    const database = new Database();
    database.fail(program);
    expect(database.run('recover.sh', ['replay', 'latest']).status).not.toBe(0);
    expect(database.state()).toEqual({ whose: ['former'], others: [] });
    database.remove();
  });

  it('that the former release left unfinished at its end replaces no database', () => {
    const database = new Database();
    database.leave('data', '.former');
    expect(database.run('recover.sh', ['undo'])).toEqual({ status: 0, said: '' });
    expect(database.run('recover.sh', ['replay', 'latest'])).toEqual({ status: 0, said: '' });
    expect(database.run('recover.sh', ['swap'])).toEqual({ status: 0, said: '' });
    expect(database.state().whose).toEqual(['recovered']);
    database.remove();
  });
});

describe('the changes that a restore to a moment reads', () => {
  /** PostgreSQL, as it asks for a segment: by the command that it is started with. */
  const ASKS = `while [ $# -gt 0 ] && [ "$1" != -o ]; do shift; done
    eval "set -- \${2:-}"
    for one in "$@"; do
      case $one in restore_command=*) command=\${one#*=} command=\${command//%f/$SEGMENT}; sh -c "\${command//%p/$FETCHED}" ;; esac
    done
    exit 0`;

  it.each([
    ['the segment that is being written', '.partial', 16_777_216, true],
    ['one that a full disk has left short', '.partial', 1_048_576, false],
    ['a former one', '', 16_777_216, true],
  ])('are those of %s', (_, ending, bytes, isFetched) => {
    const database = new Database();
    const [name, fetched] = ['000000010000000000000003', join(database.folder, 'fetched')];
    database.does('pg_ctl', `SEGMENT=${name} FETCHED=${fetched}\n${ASKS}`);
    const segment = join(database.folder, 'archive/20260101T000000Z/wal', `${name}${ending}`);
    writeFileSync(segment, '');
    truncateSync(segment, bytes);
    expect(database.run('recover.sh', ['replay', 'latest'])).toEqual({ status: 0, said: '' });
    expect(existsSync(fetched)).toBe(isFetched);
    database.remove();
  });
});

describe('the room for the database of a restore', () => {
  let database: Database;
  beforeEach(() => (database = new Database()));
  afterEach(() => database.remove());

  it('is asked for before anything is changed: that of the base backup unpacked, and of the changes since', () => {
    database.free(3_500_000_000);
    expect(database.run('recover.sh', ['find', 'latest'])).toMatchObject({ status: 0 });
    database.free(3_499_999_999);
    expect(database.run('recover.sh', ['find', 'latest'])).toEqual({
      status: 1,
      said: 'The database of that moment is made beside the present one: it needs 3.5 GB, and the disk has 3.5 GB free\n',
    });
  });

  it('has what an interrupted restore left, which the next one removes', () => {
    database.leave('data', '.recovered');
    database.free(3_499_999_999);
    expect(database.run('recover.sh', ['find', 'latest'])).toMatchObject({ status: 0 });
    database.free(0);
    database.leave('data', '.swapping');
    expect(database.run('recover.sh', ['find', 'latest'])).toMatchObject({ status: 0 });
  });
});

describe('the base backup that a restore begins from', () => {
  const BASE = '20260101T000000Z/base/20260101T000000Z';
  const said = (...words: string[]) => {
    const database = new Database();
    try {
      const before = database.run('recover.sh', words);
      expect(before).toEqual({ status: 0, said: `${BASE}\n` });
      database.beginHistory('20260105T101530Z');
      return database.run('recover.sh', words);
    } finally {
      database.remove();
    }
  };

  it.each(['latest', '2026-01-05 11:00'])(
    'is not said without a warning where the archive began anew since, and has none of then: %s',
    (moment) => {
      expect(said('find', moment)).toEqual({
        status: 0,
        said: expect.stringMatching(
          `^${BASE}\nWarning: changes since 2026-01-05 10:15:30 UTC cannot be restored: .*\n$`,
        ),
      });
    },
  );

  it('has no warning for a moment before that', () => {
    expect(said('find', '2026-01-05 10:15')).toEqual({ status: 0, said: `${BASE}\n` });
  });
});
