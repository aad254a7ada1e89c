import { spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OLD = 'the-first-key';
const DAY_SECONDS = 86_400;

/** Every fourth of its steps, from another one each time; `npm run accept:interruptions`: each of them. */
const STRIDE = Number(process.env.ACCEPT_STRIDE ?? 4);

/** An installation whose programs run with one key. */
class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), 'rotation-'));

  constructor() {
    mkdirSync(join(this.folder, 'programs'));
    for (const program of ['owner', 'api', 'operator']) {
      mkdirSync(join(this.folder, 'secrets', program), { recursive: true });
      this.write(`secrets/${program}/secrets-key`, OLD);
      this.write(`secrets/${program}/former-secrets-key`, '');
    }
    for (const program of ['api-1', 'api-2', 'worker']) this.write(`programs/${program}`, `${OLD}\n`);
    mkdirSync(join(this.folder, 'secrets/postgres'));
    for (const list of ['sealed', 'replies']) this.write(list, `${OLD}\n`);
  }

  /** @param killAt the step at which it is killed; none: it runs to its end */
  rotate(secret: string, options: { killAt?: number; given?: string } = {}) {
    rmSync(join(this.folder, 'steps'), { force: true });
    // A process group of its own, which it kills.
    const { status, stdout, stderr } = spawnSync(
      'setsid',
      ['--wait', 'test/containers/simulated-rotation.sh', secret],
      {
        encoding: 'utf8',
        // Not a socket: bash would take itself for a remote shell, and read files of this machine.
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          FOLDER: this.folder,
          GIVEN: options.given ?? '',
          KILL_AT: String(options.killAt ?? ''),
        },
      },
    );
    return { ended: status === 0, killed: status !== 0 && stderr === '', said: stdout + stderr };
  }

  /** They pass: replies that were kept are gone. */
  letDaysPass(days: number) {
    this.write('replies', '');
    const replaced = join('secrets', 'owner', 'secrets-key-replaced');
    if (existsSync(join(this.folder, replaced))) {
      this.write(replaced, String(Number(this.read(replaced)) - days * DAY_SECONDS));
    }
  }

  read(path: string): string {
    return existsSync(join(this.folder, path)) ? readFileSync(join(this.folder, path), 'utf8') : '';
  }
  write(path: string, text: string) {
    writeFileSync(join(this.folder, path), text);
  }

  keys = () => ['owner', 'api', 'operator'].map((program) => this.read(`secrets/${program}/secrets-key`));
  formerKeys = () => ['owner', 'api', 'operator'].map((program) => this.read(`secrets/${program}/former-secrets-key`));
  remove = () => rmSync(this.folder, { recursive: true, force: true });
}

/** How a rotation that was killed at one of its steps is brought to its end, for one step after the other. */
function killedAtEachStep(secret: string, prepare: (one: Installation) => void, goOn: (one: Installation) => void) {
  for (let killAt = randomInt(1, STRIDE + 1); ; killAt += STRIDE) {
    const one = new Installation();
    prepare(one);
    const { killed, said } = one.rotate(secret, { killAt });
    if (!killed && killAt > 10) {
      one.remove();
      return killAt;
    }
    expect({ killAt, killed, said }).toMatchObject({ killAt, killed: true });
    goOn(one);
    expect({ killAt, failures: one.read('failures') }).toEqual({ killAt, failures: '' });
    one.remove();
  }
}

function expectRotated(one: Installation) {
  const [key] = one.keys();
  expect(key).toMatch(/^[\w+/]{43}=$/);
  expect(new Set(one.keys()).size).toBe(1);
  expect(one.formerKeys()).toEqual([OLD, OLD, OLD]);
  expect(new Set(one.read('sealed').trim().split('\n'))).toEqual(new Set([key]));
}

describe('a rotation of SECRETS_KEY', () => {
  it('ends with one key, and the former one beside it', () => {
    const one = new Installation();
    expect(one.rotate('secrets-key')).toMatchObject({ ended: true });
    expectRotated(one);
    expect(one.read('failures')).toBe('');
    one.remove();
  });

  it('goes on where it was killed, at any of its steps; no key is lost, and nothing unreadable to a program, in between', () => {
    killedAtEachStep(
      'secrets-key',
      () => undefined,
      (one) => {
        const before = [...one.keys(), ...one.formerKeys()];
        const forgetting = one.rotate('former-secrets-key');
        // A key may be forgotten only before the rotation has begun.
        if (one.formerKeys().join('') !== '' || before.slice(3).join('') !== '') {
          expect(forgetting).toMatchObject({ ended: false });
          expect([...one.keys(), ...one.formerKeys()]).toEqual(before);
        }
        const { ended, said } = one.rotate('secrets-key');
        // Killed after its end was noted: its advice leads to the end, too.
        if (!ended) expect(said).toContain('First: apps/operator/stack.sh rotate former-secrets-key');
        expectRotated(one);
        one.letDaysPass(3);
        expect(one.rotate('former-secrets-key')).toMatchObject({ ended: true });
        expect(one.formerKeys()).toEqual(['', '', '']);
      },
    );
  }, 300_000);

  it('goes on after a second kill', () => {
    const one = new Installation();
    for (const killAt of [15, 15, 20, 25]) one.rotate('secrets-key', { killAt });
    one.rotate('secrets-key');
    expectRotated(one);
    expect(one.read('failures')).toBe('');
    one.remove();
  });

  it('that was interrupted takes no other key out of .env', () => {
    const one = new Installation();
    one.rotate('secrets-key', { killAt: 15 });
    expect(one.rotate('secrets-key', { given: 'another' }).said).toContain('remove SECRETS_KEY from .env, then again');
    expect(one.rotate('secrets-key')).toMatchObject({ ended: true });
    one.remove();
  });
});

describe('a rotation to a key from .env', () => {
  const KEY = randomBytes(32).toString('base64');

  it('ends with that one', () => {
    const one = new Installation();
    expect(one.rotate('secrets-key', { given: KEY })).toMatchObject({ ended: true });
    expect(one.keys()).toEqual([KEY, KEY, KEY]);
    expectRotated(one);
    one.remove();
  });

  it.each([
    ['a word', 'hello'],
    ['a key without its begin', KEY.slice(1)],
    ['a key and more', `${KEY}=`],
    ['bytes that are alike', Buffer.alloc(32, 7).toString('base64')],
    ['33 bytes', randomBytes(33).toString('base64')],
  ])('that no program takes is not begun: %s', (_, given) => {
    const one = new Installation();
    expect(one.rotate('secrets-key', { given }).said).toContain('Nothing has been changed');
    expect([one.keys(), one.formerKeys()]).toEqual([
      [OLD, OLD, OLD],
      ['', '', ''],
    ]);
    expect(one.rotate('secrets-key', { given: KEY })).toMatchObject({ ended: true });
    one.remove();
  });
});

describe('the former SECRETS_KEY', () => {
  const rotated = (one: Installation) => void one.rotate('secrets-key');

  it('is kept for a day, as replies are, and then for as long as gateways may report what was sent before', () => {
    const one = new Installation();
    rotated(one);
    for (const days of [0, 1]) {
      one.letDaysPass(days);
      const { said } = one.rotate('former-secrets-key');
      expect(said).toContain('Delivery reports of SMS may come under the former key until');
      expect(said).toContain('No key has been forgotten; then again');
      expect(one.formerKeys()).toEqual([OLD, OLD, OLD]);
    }
    one.letDaysPass(2);
    expect(one.rotate('former-secrets-key')).toMatchObject({ ended: true });
    one.remove();
  });

  it('is kept while a secret is encrypted under another key than the present one', () => {
    const one = new Installation();
    rotated(one);
    one.letDaysPass(3);
    one.write('sealed', 'a-lost-key\n');
    expect(one.rotate('former-secrets-key')).toMatchObject({ ended: false });
    expect(one.formerKeys()).toEqual([OLD, OLD, OLD]);
    one.remove();
  });

  it('is forgotten by the same command again, after a kill at any of its steps, and kept for former data', () => {
    killedAtEachStep(
      'former-secrets-key',
      (one) => {
        rotated(one);
        one.letDaysPass(3);
      },
      (one) => {
        expect(one.rotate('former-secrets-key')).toMatchObject({ ended: true });
        expect(one.formerKeys()).toEqual(['', '', '']);
        expect(one.read('secrets/owner/replaced-secrets-keys')).toBe(`${OLD}\n`);
      },
    );
  }, 300_000);

  it('of an installation that a former script left in the middle of a rotation is not lost', () => {
    const one = new Installation();
    for (const program of ['owner', 'api', 'operator']) {
      one.write(`secrets/${program}/secrets-key`, 'the-second-key');
      one.write(`secrets/${program}/former-secrets-key`, OLD);
    }
    one.write('programs/worker', `${OLD}\nthe-second-key`);
    expect(one.rotate('former-secrets-key').said).toContain('No key has been forgotten; then again');
    expect(one.formerKeys()).toEqual([OLD, OLD, OLD]);
    expect(new Set(one.read('sealed').trim().split('\n'))).toEqual(new Set(['the-second-key']));
    one.remove();
  });
});

/** A rotation of the database passwords without an engine, killed behind the statement that begins with KILLED; `up` with nothing else to do. */
const PASSWORDS = `
set -euo pipefail
docker() { echo '  "name": "simulated",'; }
for part in common commands backup rotate; do . "apps/operator/stack/$part.sh"; done
dc() { [ "$*" = 'config --services' ]; }
secrets_sh() { (cd "$FOLDER/secrets" && bash -euc "$1"); }
sql() { printf '%s\\n' "$1" >>"$FOLDER/statements"; [[ -z $KILLED || $1 != "$KILLED"* ]] || kill -9 $$; }
logins() { echo api_login; }
replace_programs() { :; }
check_profiles() { :; }
count_of() { echo 2; }
wanted_replicas() { echo 2; }
apply_changes() { :; }
examine() { :; }
"stack_$1" "\${@:2}"`;

describe('a rotation of the database passwords', () => {
  const run = (one: Installation, words: string[], killed = '') => {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', PASSWORDS, 'stack.sh', ...words], {
      encoding: 'utf8',
      // Not a socket: bash would take itself for a remote shell, and read files of this machine.
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, FOLDER: one.folder, KILLED: killed },
    });
    return { status, said: stdout + stderr };
  };

  it.each(['alter role account_owner', 'create role operator_login'])(
    'that was interrupted is said by `up`, as the owner may have a password that nobody knows: behind %s',
    (statement) => {
      const one = new Installation();
      expect(run(one, ['rotate', 'database-passwords'], statement).status).not.toBe(0);
      const advice = 'To go on with it: apps/operator/stack.sh rotate database-passwords';
      expect(run(one, ['up'])).toEqual({ status: 0, said: expect.stringContaining(advice) });
      expect(run(one, ['rotate', 'database-passwords'])).toMatchObject({ status: 0 });
      expect(run(one, ['up'])).toEqual({ status: 0, said: 'The service is up\n' });
      const owners = one.read('statements').match(/(?<=alter role account_owner password ')\w+/g);
      for (const who of ['owner', 'postgres']) expect(one.read(`secrets/${who}/password`)).toBe(owners?.at(-1));
      one.remove();
    },
  );
});
