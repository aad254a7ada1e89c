// Loaded by a process under test with --require. Appends to TURN_WATCH_FILE, line by line, the maximum milliseconds of
// CPU time that the main thread used between two runs of a timer. Unlike the event loop's delay, this excludes time of
// other processes.
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
