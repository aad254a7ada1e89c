// Loaded by a process under test with --require. It appends to TURN_WATCH_FILE, line by line, the most milliseconds of CPU
// that the main thread took between two turns of a timer. Unlike the event loop's delay that leaves out what others took.
const { appendFileSync } = require('node:fs');
const { setInterval } = require('node:timers');
const { isMainThread } = require('node:worker_threads');

const file = process.env.TURN_WATCH_FILE;

if (file && isMainThread) {
  let before = process.threadCpuUsage();
  let most = 0;
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    most = Math.max(most, (user + system) / 1000);
  }, 5).unref();
  setInterval(() => {
    appendFileSync(file, `${most.toFixed(1)}\n`);
    most = 0;
  }, 250).unref();
}
