const { AsyncLocalStorage } = require('node:async_hooks');
const { fork } = require('node:child_process');
const { once } = require('node:events');

/** Outside of all tests: `environment.ts` loads this file first. A process would keep the test that it is started in. */
const outside = AsyncLocalStorage.snapshot();

/** Processes by the path of their program. */
const processes = new Map();

/**
 * The process of a program that answers messages, for all spec files of a worker. It ends with the worker, keeps nothing from ending, and
 * is started anew after an end.
 */
exports.lastingProcess = (path, environment) => {
  const running = processes.get(path);
  if (running) return running;
  const started = outside(() => fork(path, { env: environment, execArgv: [] }));
  processes.set(path, started);
  // One listener for each message that waits for its answer.
  started.setMaxListeners(0);
  started.on('exit', () => processes.delete(path));
  started.unref();
  started.channel.unref();
  return started;
};

/** Ends all of them, as at the end of the worker. Resolves when they have ended. */
exports.endLastingProcesses = async () => {
  const ends = [...processes.values()].map((running) => once(running, 'exit'));
  for (const running of processes.values()) running.disconnect();
  await Promise.all(ends);
};
