import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@test/until';

const SCRIPT = join(process.cwd(), 'apps/operator/operator.sh');

/**
 * An engine with a container in which commands run: as processes of this machine. With NEW there is none before it is made, and its
 * end kills the commands.
 */
const DOCKER = `#!/bin/bash
case $1 in
  compose)
    case $* in
      *'config --hash operator') echo "operator hash-for-\${OPERATOR_NAME-nobody}"; exit ;;
      *' run '*) ;;
      *) exit 0 ;;
    esac
    while [ "$1" != --label ]; do shift; done
    echo "\${2#account.commands=}" >"$FOLDER/label"
    while [ "$1" != --entrypoint ]; do shift; done
    { "$2" "\${@:4}"; touch "$FOLDER/gone"; kill -9 "$(cat "$FOLDER/command")"; } >/dev/null 2>&1 &
    touch "$FOLDER/made"
    ;;
  inspect) echo "$(cat "$FOLDER/label") image" ;;
  rm) touch "$FOLDER/removed" ;;
  ps) if [ -z "\${NEW:-}" ] || [ -e "$FOLDER/made" ]; then echo commands; fi ;;
  exec)
    shift
    given=() named=()
    while [ "$1" != commands ]; do
      case $1 in -e) shift; named+=("$1") ;; *) given+=("$1") ;; esac
      shift
    done
    shift
    case $1 in
      node)
        printf '%s\\n' "\${given[@]}" "\${named[@]%%.*}" >"$FOLDER/asked"
        echo $$ >"$FOLDER/command"
        exec env "\${named[@]}" bash -c "$COMMAND"
        ;;
      *) exec "$@" ;;
    esac
    ;;
esac
`;

/** In which eight hours pass in a moment. */
const SLEEP = `#!/bin/bash
case $1 in 8h) exec /bin/sleep 0.5 ;; *) exec /bin/sleep "$1" ;; esac
`;

describe('operator.sh', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'operator-script-'));
    writeFileSync(join(folder, 'docker'), DOCKER, { mode: 0o755 });
    writeFileSync(join(folder, 'sleep'), SLEEP, { mode: 0o755 });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const surroundings = (command: string) => ({
    ...{ PATH: `${folder}:${process.env.PATH}`, FOLDER: folder, COMMAND: command, OPERATOR_NAME: 'kari' },
  });
  /** Runs it at a terminal. @returns what the engine was asked for */
  function atTerminal(line: string): string[] {
    const { status } = spawnSync('script', ['-qec', line, '/dev/null'], { env: surroundings('exit 0') });
    expect(status).toBe(0);
    return readFileSync(join(folder, 'asked'), 'utf8').trimEnd().split('\n');
  }

  it('says that somebody can be asked, whatever becomes of the output', () => {
    const named = (...settings: string[]) => [
      'OPERATOR_NAME=kari',
      ...settings,
      expect.stringMatching(/^OPERATOR_RUN=/),
    ];
    expect(atTerminal(`${SCRIPT} sms log`)).toEqual(['-it', ...named('OPERATOR_TERMINAL=true')]);
    expect(atTerminal(`${SCRIPT} sms log | cat`)).toEqual(['-i', ...named('OPERATOR_TERMINAL=true')]);
    expect(atTerminal(`${SCRIPT} sms log >${folder}/output`)).toEqual(['-i', ...named('OPERATOR_TERMINAL=true')]);
    expect(atTerminal(`echo y | ${SCRIPT} sms log`)).toEqual(['-i', ...named()]);
    expect(atTerminal(`${SCRIPT} customer import --file ${SCRIPT}`)).toEqual(['-i', ...named()]);
  });

  it('hands input, output and the exit code on', () => {
    const env = surroundings('read -r text; echo "got $text"; exit 8');
    const { status, stdout } = spawnSync(SCRIPT, ['sms', 'log'], { env, input: 'a line\n', encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 8, stdout: 'got a line\n' });
  });

  it('lets a command end that runs when eight hours are over, and then the container', async () => {
    const env = { ...surroundings('echo began; sleep 2; echo ended'), NEW: 'yes' };
    const { status, stdout } = spawnSync(SCRIPT, ['ai', 'verify'], { env, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'began\nended\n' });
    await until(() => existsSync(join(folder, 'gone')));
  });

  it('has a container that stays when another person runs stack.sh, as long as its settings and image do', () => {
    const env = { ...surroundings('exit 0'), NEW: 'yes', OPERATOR_NAME: 'ola' };
    expect(spawnSync(SCRIPT, ['sms', 'log'], { env }).status).toBe(0);
    const endCommands = (image: string) => {
      const parts = ['common', 'images', 'commands'].map((part) => `. apps/operator/stack/${part}.sh`);
      const script = [...parts, `image() { :; }`, `id_of() { echo ${image}; }`, 'end_commands'].join('\n');
      expect(spawnSync('bash', ['-euc', script], { env: surroundings('') }).status).toBe(0);
      return existsSync(join(folder, 'removed'));
    };
    expect([endCommands('image'), endCommands('another-image')]).toEqual([false, true]);
  });

  it('ends its command when it is interrupted', async () => {
    const command = `trap 'touch "$FOLDER/ended"; exit' TERM; touch "$FOLDER/began"; while :; do sleep 0.05; done`;
    const script = spawn(SCRIPT, ['sms', 'log'], { env: surroundings(command), stdio: ['pipe', 'pipe', 'pipe'] });
    const exit = once(script, 'exit');
    await until(() => existsSync(join(folder, 'began')));
    script.kill('SIGINT');
    expect(await exit).toEqual([130, null]);
    await until(() => existsSync(join(folder, 'ended')));
  });
});
