import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packagesOfBenchmarks } from '../support/packages';

/**
 * Starts the Portkey gateway, which forwards messages without accounting. `BENCH_PORTKEY_NODE` names another Node to
 * run it with: an older one is two to three times slower. @returns a function that stops it
 */
export async function startPortkey(port: number): Promise<() => Promise<void>> {
  const main = join(
    dirname(packagesOfBenchmarks.resolve('@portkey-ai/gateway/package.json')),
    'build',
    'start-server.js',
  );
  const words = ['--require', join(__dirname, 'portkey-streams.js'), main, `--port=${port}`, '--headless'];
  const child = spawn(process.env.BENCH_PORTKEY_NODE ?? process.execPath, words, {
    stdio: 'ignore',
    env: { ...process.env, NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: 'localhost,127.0.0.1' },
  });
  const exited = once(child, 'exit');
  const failed = exited.then(() => Promise.reject(new Error('Portkey ended before it listened')));
  failed.catch(() => undefined);
  while (!(await Promise.race([listens(port), failed]))) await delay(100);
  return async () => {
    child.kill('SIGKILL');
    await exited;
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
