import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePort } from '../free-port';
import { until } from '../until';
import { type AlertReceiver, startAlertReceiver } from './alert-receiver';
import type { MonitoringPrograms } from './find-program';
import { alertmanagerConfiguration, shortenedRules } from './shortened-rules';

/** Prometheus, Alertmanager and a receiver of alerts. */
export interface Monitoring {
  receiver: AlertReceiver;
  /** The value of an expression; undefined if it has none. */
  query(expression: string): Promise<number | undefined>;
  stop(): Promise<void>;
}

/** What is scraped: addresses (`127.0.0.1:9464`) by job. */
export type Targets = Record<'api' | 'worker' | 'console', string[]>;

/** Starts them with the service's rules and configuration. @param factor by which the rules are quicker */
export async function startMonitoring(
  programs: MonitoringPrograms,
  targets: Targets,
  factor: number,
): Promise<Monitoring> {
  const folder = mkdtempSync(join(tmpdir(), 'monitoring-'));
  const receiver = await startAlertReceiver();
  const [prometheusPort, alertmanagerPort] = [await freePort(), await freePort()];
  const atOnce = factor > 1;
  writeFileSync(join(folder, 'alertmanager.yml'), alertmanagerConfiguration(receiver.url, atOnce));
  writeFileSync(join(folder, 'alerts.yml'), shortenedRules(factor));
  const every = atOnce ? '1s' : '15s';
  const prometheus = {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: ['alerts.yml'],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${alertmanagerPort}`] }] }] },
    scrape_configs: Object.entries(targets).map(([job, addresses]) => ({
      job_name: job,
      static_configs: [{ targets: addresses }],
    })),
  };
  writeFileSync(join(folder, 'prometheus.yml'), stringify(prometheus));
  const run = (program: string, ...words: string[]) =>
    spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder });
  const children = [
    run(
      programs.alertmanager,
      '--config.file=alertmanager.yml',
      `--storage.path=${join(folder, 'alertmanager')}`,
      `--web.listen-address=127.0.0.1:${alertmanagerPort}`,
      '--cluster.listen-address=',
    ),
    run(
      programs.prometheus,
      '--config.file=prometheus.yml',
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${prometheusPort}`,
    ),
  ];
  const logs = children.map(lastOutput);
  const isReady = async (port: number) => {
    const dead = children.findIndex(({ exitCode }) => exitCode !== null);
    if (dead >= 0) throw new Error(`Monitoring ended:\n${logs[dead]?.()}`);
    return fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until(async () => (await isReady(alertmanagerPort)) && (await isReady(prometheusPort)), 100);
  return {
    receiver,
    async query(expression) {
      const url = `http://127.0.0.1:${prometheusPort}/api/v1/query?query=${encodeURIComponent(expression)}`;
      const { data } = (await (await fetch(url)).json()) as { data: { result: { value: [number, string] }[] } };
      const value = data.result[0]?.value[1];
      return value === undefined ? undefined : Number(value);
    },
    async stop() {
      await Promise.all(children.map(end));
      await receiver.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Reads its standard error, so that the pipe never fills. @returns a function that gives the last of it */
function lastOutput(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-4_000)));
  return () => text;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
