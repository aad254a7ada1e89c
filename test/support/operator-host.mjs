import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/**
 * Runs the operator's compiled commands one after another in one process, because loading the modules takes most of a
 * command's time. Each gets its own arguments, environment and input.
 */
const program = join(process.cwd(), 'dist', 'apps', 'operator', 'src');
const require = createRequire(import.meta.url);
require('reflect-metadata');
const { runOperator } = require(join(program, 'run-operator.js'));

/** Replaces the end of the process, if a command calls for it. */
class Exit extends Error {}

let last = Promise.resolve();
process.on('message', (command) => {
  last = last.then(async () => process.send({ id: command.id, ...(await run(command)) }));
});
process.on('disconnect', () => endProcess(0));

const endProcess = process.exit.bind(process);

async function run({ words, environment, input, terminal }) {
  const result = { code: undefined, stdout: '', stderr: '' };
  const ended = () => result.code !== undefined;
  const restore = ['stdout', 'stderr'].map((name) => {
    const write = process[name].write;
    process[name].write = (text) => {
      if (!ended()) result[name] += text.toString();
      return true;
    };
    return () => (process[name].write = write);
  });
  process.exit = (code) => {
    result.code ??= Number(code ?? process.exitCode ?? 0);
    throw new Exit();
  };
  process.argv = [process.execPath, join(program, 'main.js'), ...words];
  process.env = { ...environment };
  process.exitCode = undefined;
  const stdin = Object.assign(Readable.from([input]), { isTTY: terminal });
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true });
  await runOperator();
  result.code ??= Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  for (const back of restore) back();
  return result;
}
