import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@test/until';

const SCRIPTS = 'apps/operator/postgres';
/** Programs of PostgreSQL as far as the script needs them: what each is asked to do is noted. */
const PROGRAMS = {
  psql: 'exit 0',
  pg_basebackup: `while [ "$1" != -D ]; do shift; done
    mkdir -p "$2" && cd "$2" && echo 'START WAL LOCATION: 0/2000028 (file 000000010000000000000002)' >backup_label && tar czf base.tar.gz backup_label`,
  pg_archivecleanup: 'exit 0',
};

/** As PostgreSQL is made without a word about it. */
const SEGMENT_BYTES = 16_777_216;

/** The folder of an archive, with scripts that keep it there. */
class Archive {
  readonly folder = mkdtempSync(join(tmpdir(), 'archive-'));

  constructor() {
    for (const folder of ['bin', 'archive', 'owner-secrets']) mkdirSync(join(this.folder, folder));
    writeFileSync(join(this.folder, 'owner-secrets/password'), 'secret');
    for (const [name, does] of Object.entries(PROGRAMS))
      writeFileSync(
        join(this.folder, 'bin', name),
        `#!/bin/bash\necho "${name} $*" >>'${this.folder}/asked'\n${does}\n`,
        { mode: 0o755 },
      );
    for (const name of ['archive.sh', 'archive-folders.sh']) {
      const text = readFileSync(join(SCRIPTS, name), 'utf8');
      const moved = text
        .replaceAll('/tmp/', `${this.folder}/`)
        .replaceAll(/\/archive(?![\w.-])/g, `${this.folder}/archive`)
        .replaceAll('/run/owner-secrets', `${this.folder}/owner-secrets`);
      writeFileSync(join(this.folder, name), moved, { mode: 0o755 });
    }
  }

  /** A history that began so many days ago, with base backups of so many days ago. @returns its name */
  save(began: number, bases: number[]): string {
    const name = daysAgo(began);
    mkdirSync(join(this.folder, 'archive', name, 'wal'), { recursive: true });
    mkdirSync(join(this.folder, 'archive', name, 'base'));
    for (const days of bases) {
      const base = join(this.folder, 'archive', name, 'base', daysAgo(days));
      mkdirSync(base);
      writeFileSync(join(base, 'first-segment'), '000000010000000000000001');
    }
    return name;
  }

  takeBase() {
    const { status, stdout, stderr } = spawnSync('bash', [join(this.folder, 'archive.sh'), 'base'], {
      encoding: 'utf8',
      // Not a socket: bash would take itself for a remote shell, and read files of this machine.
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PATH: `${this.folder}/bin:${process.env.PATH}`, ARCHIVE_DAYS: '7' },
    });
    return { status, stdout, stderr, asked: readFileSync(join(this.folder, 'asked'), 'utf8') };
  }

  /** Lets it receive changes until it does, or is killed; the first question about its slot may fail. @returns the history that it goes on with */
  receive({ killed = false, unanswered = false } = {}): string | undefined {
    const slot = join(this.folder, 'slot');
    const fails = unanswered ? `mkdir '${this.folder}/unanswered' 2>/dev/null && exit 2;` : '';
    this.program(
      'psql',
      `case $* in
        *drop_replication*) rm -f '${slot}' ;;
        *wal_segment_size*) echo ${SEGMENT_BYTES} ;;
        *wal_status*) ${fails} ls '${slot}' 2>/dev/null | wc -l ;;
      esac`,
    );
    this.program('sleep', 'exec /bin/sleep 0.05');
    rmSync(join(this.folder, 'received'), { force: true });
    const receives = `echo "$*" >'${this.folder}/received'; kill $PPID`;
    this.program(
      'pg_receivewal',
      `case $* in *--create-slot*) touch '${slot}'; ${killed ? 'kill -9 $PPID' : ''} ;; *) ${receives} ;; esac`,
    );
    this.runs('run');
    if (!existsSync(join(this.folder, 'received'))) return undefined;
    return /archive\/(\w+)\/wal/.exec(readFileSync(join(this.folder, 'received'), 'utf8'))?.[1];
  }

  /** Rounds of its loop, while it receives changes, until one pauses with this end. @returns the number of base backups that it begins */
  goOn(pause = 'kill $PPID'): number {
    this.program('psql', 'echo 1');
    this.program('pg_receivewal', 'exec /bin/sleep 60');
    this.program('sleep', pause);
    return this.runs('run').stdout.split('a base backup begins').length - 1;
  }

  /** Base backups fail, for several rounds of its loop. @returns their number */
  failsAgain(): number {
    this.program('pg_basebackup', 'exit 1');
    const [failed, rounds] = ['base-failed', 'rounds'].map((name) => `'${join(this.folder, name)}'`);
    return this.goOn(`/bin/sleep 0.05; [ ! -e ${failed} ] || echo >>${rounds}
      [ ! -e ${rounds} ] || [ "$(wc -l <${rounds})" -lt 5 ] || kill $PPID`);
  }

  /** Its receiver dies during a base backup, and stops all of it once it was started again. @returns the process of the base backup, and whether that had ended */
  receiverDies(): { status: number | null; process: number; ended: boolean } {
    const path = (name: string) => join(this.folder, name);
    this.program('psql', 'echo 1');
    this.program('sleep', 'exec /bin/sleep 0.05');
    this.program('pg_basebackup', `echo $$ >'${path('begun')}'; /bin/sleep 15; touch '${path('ended')}'`);
    this.program(
      'pg_receivewal',
      `until [ -s '${path('begun')}' ]; do /bin/sleep 0.02; done
      mkdir '${path('died')}' 2>/dev/null || { kill $PPID; exec /bin/sleep 60; }`,
    );
    const { status } = this.runs('run');
    return { status, process: Number(readFileSync(path('begun'), 'utf8')), ended: existsSync(path('ended')) };
  }

  /** Whether it is, while it receives changes, so many minutes after its start and with this first base backup. */
  isHealthy(
    minutes: number,
    { base, failed = false }: { base: 'none' | 'written' | 'stuck' | 'complete'; failed?: boolean },
  ) {
    this.program('psql', 'echo 1');
    const folder = join(this.folder, 'archive', this.save(0, base === 'complete' ? [0] : []), 'base');
    const file = join(folder, 'base.new/base.tar.gz');
    if (base === 'written' || base === 'stuck') {
      mkdirSync(join(folder, 'base.new'));
      writeFileSync(file, 'begun');
      for (const path of [file, join(folder, 'base.new')]) utimesSync(path, NOW / 1000 - 660, NOW / 1000 - 660);
      if (base === 'written') appendFileSync(file, 'more');
    }
    if (failed) writeFileSync(join(this.folder, 'base-failed'), '');
    writeFileSync(join(this.folder, 'made-of'), '');
    utimesSync(join(this.folder, 'made-of'), NOW / 1000, NOW / 1000 - minutes * 60);
    return this.runs('health').status === 0;
  }

  /** Base backups have failed for so many minutes. */
  failsSince(minutes: number): void {
    const file = join(this.folder, 'base-failed');
    writeFileSync(file, '');
    utimesSync(file, NOW / 1000, NOW / 1000 - minutes * 60);
  }

  private program(name: string, does: string): void {
    writeFileSync(join(this.folder, 'bin', name), `#!/bin/bash\n${does}\n`, { mode: 0o755 });
  }

  private runs(command: string): { status: number | null; stdout: string } {
    const env = { ...process.env, PATH: `${this.folder}/bin:${process.env.PATH}` };
    return spawnSync('bash', [join(this.folder, 'archive.sh'), command], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }

  has(...path: string[]): boolean {
    return existsSync(join(this.folder, 'archive', ...path));
  }
}

const NOW = Date.now();

function daysAgo(days: number): string {
  const text = new Date(NOW - days * 86_400_000).toISOString();
  return `${text.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

describe('the archive of the WAL', () => {
  let archive: Archive;
  beforeEach(() => (archive = new Archive()));
  afterEach(() => rmSync(archive.folder, { recursive: true }));

  it('keeps what leads to the last days, and tells the database of the new base backup', () => {
    const history = archive.save(20, [9, 8, 1]);
    const { status, stderr, asked } = archive.takeBase();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(asked).toContain('insert into backup');
    expect(asked).toContain(`pg_archivecleanup ${archive.folder}/archive/${history}/wal 000000010000000000000001`);
    expect([9, 8, 1].map((days) => archive.has(history, 'base', daysAgo(days)))).toEqual([false, true, true]);
  });

  it('makes room before a base backup, also of those that were interrupted; it may be the room that the disk lacks', () => {
    const [former, present] = [archive.save(20, [9, 8]), archive.save(6, [1])];
    for (const history of [former, present]) mkdirSync(join(archive.folder, 'archive', history, 'base/base.new'));
    writeFileSync(
      join(archive.folder, 'bin/pg_basebackup'),
      '#!/bin/bash\necho "No space left on device" >&2; exit 1\n',
    );
    expect(archive.takeBase()).toMatchObject({ status: 1, stderr: 'No space left on device\n' });
    expect([9, 8].map((days) => archive.has(former, 'base', daysAgo(days)))).toEqual([false, true]);
    expect([former, present].map((history) => archive.has(history, 'base/base.new'))).toEqual([false, false]);
    expect(archive.has(present, 'base', daysAgo(1))).toBe(true);
  });

  it.each([
    ['also if its begin was interrupted', 2],
    ['also if it was begun by a clock that was ahead', -5],
  ])('takes no changes for the continuation of a history that has a gap before them, %s', (_, began) => {
    const former = archive.save(began, [1]);
    expect(archive.receive({ killed: true })).toBeUndefined();
    const present = archive.receive() ?? '';
    expect(present > former).toBe(true);
    expect(archive.has(present, 'wal')).toBe(true);
    expect(archive.receive()).toBe(present);
  });

  it('begins no other history where the database did not answer, once, whether its slot is there', () => {
    archive.save(2, [1]);
    const present = archive.receive() ?? '';
    writeFileSync(join(archive.folder, 'archive', present, 'wal/000000010000000000000001'), '');
    expect(archive.receive({ unanswered: true })).toBe(present);
  });

  it('receives again after a full disk, which left a segment short that has nothing yet', () => {
    archive.save(2, [1]);
    const history = archive.receive() ?? '';
    const sizes = { whole: SEGMENT_BYTES, empty: 0, short: 1_048_576 };
    const file = (name: string) => `${name}.partial`;
    for (const [name, bytes] of Object.entries(sizes)) {
      const path = join(archive.folder, 'archive', history, 'wal', file(name));
      writeFileSync(path, '');
      truncateSync(path, bytes);
    }
    expect(archive.receive()).toBe(history);
    expect(Object.keys(sizes).filter((name) => archive.has(history, 'wal', file(name)))).toEqual(['whole', 'empty']);
  });

  it('removes nothing by a clock that is much later than the newest base backup was made, as one may be when the machine starts', () => {
    const history = archive.save(40, [34, 33, 32]);
    const { status, stdout, asked } = archive.takeBase();
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining(`the newest base backup is of ${daysAgo(32)}`),
    });
    expect([34, 33, 32].map((days) => archive.has(history, 'base', daysAgo(days)))).toEqual([true, true, true]);
    expect(asked).not.toContain('pg_archivecleanup');
    // The next time it was no jump of the clock.
    expect(archive.takeBase().asked).toContain('pg_archivecleanup');
  });

  it.each([
    [30, [true, true, true]],
    [61, [false, false, true]],
  ])(
    'removes what is old all the same once base backups have failed for an hour, as they may lack the room: after %d minutes',
    (minutes, kept) => {
      const history = archive.save(40, [34, 33, 32]);
      archive.failsSince(minutes);
      archive.takeBase();
      expect([34, 33, 32].map((days) => archive.has(history, 'base', daysAgo(days)))).toEqual(kept);
    },
  );

  it('goes by no base backup of a later time: one that a clock made which was ahead stands for none of these days', () => {
    const history = archive.save(20, [9, 8, 1, -5]);
    const { status, stdout, asked } = archive.takeBase();
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining(`${history}/base/${daysAgo(-5)}`),
    });
    expect([9, 8, 1, -5].map((days) => archive.has(history, 'base', daysAgo(days)))).toEqual([false, true, true, true]);
    expect(asked).toContain('insert into backup');
  });

  it.each([
    ['of a later time', [2, -5], true],
    ['of the last day', [2, 0.5, -5], false],
    ['too old', [2], true],
  ])('knows whether a base backup is due where the newest is %s: %j', (_, bases, isDue) => {
    archive.save(20, bases);
    expect(archive.goOn()).toBe(isDue ? 1 : 0);
  });

  it('begins no other base backup at once where one failed', () => {
    archive.save(20, [2]);
    expect(archive.failsAgain()).toBe(1);
  });

  it('starts its receiver again during a base backup, and ends both when it is stopped', async () => {
    archive.save(20, [2]);
    const { status, process: base, ended } = archive.receiverDies();
    expect({ status, ended }).toEqual({ status: 0, ended: false });
    await until(() => spawnSync('kill', ['-0', String(base)]).status !== 0);
  });

  it.each([
    ['a base backup', 0, { base: 'complete' }, true],
    ['one in progress, which a start waits for', 0, { base: 'written' }, false],
    ['one in progress, for longer than a start waits', 12, { base: 'written' }, true],
    ['one in progress that writes nothing any more', 12, { base: 'stuck' }, false],
    ['one in progress after one that failed', 12, { base: 'written', failed: true }, false],
    ['none', 12, { base: 'none' }, false],
  ] as const)(
    'is healthy with a first base backup that takes long: %s, after %d minutes',
    (_, minutes, state, healthy) => {
      expect(archive.isHealthy(minutes, state)).toBe(healthy);
    },
  );

  it('lets a history go whose last base backup is too old', () => {
    const [old, present] = [archive.save(20, [9]), archive.save(12, [8, 1])];
    const { status, stderr, asked } = archive.takeBase();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(archive.has(old)).toBe(false);
    expect(archive.has(present, 'base', daysAgo(8))).toBe(true);
    expect(asked).toContain(`pg_archivecleanup ${archive.folder}/archive/${present}/wal`);
  });
});
