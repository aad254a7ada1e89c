const { AsyncLocalStorage } = require('node:async_hooks');
const { fork } = require('node:child_process');

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
