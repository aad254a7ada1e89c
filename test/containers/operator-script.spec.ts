import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@test/until';

const SCRIPT = join(process.cwd(), 'apps/operator/operator.sh');

/** An engine with a container in which commands run: as processes of this machine. */
const DOCKER = `#!/bin/bash
case $1 in
  ps) echo commands ;;
  exec)
    shift
    given=() named=()
    while [ "$1" != commands ]; do
      case $1 in -e) shift; named+=("$1") ;; *) given+=("$1") ;; esac
      shift
    done
    shift
    case $1 in
      node) printf '%s\\n' "\${given[@]}" "\${named[@]%%.*}" >"$FOLDER/asked"; exec env "\${named[@]}" bash -c "$COMMAND" ;;
      *) exec "$@" ;;
    esac
    ;;
esac
`;

describe('operator.sh', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'operator-script-'));
    writeFileSync(join(folder, 'docker'), DOCKER, { mode: 0o755 });
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
