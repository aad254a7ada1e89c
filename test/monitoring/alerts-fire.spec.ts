import { setTimeout as wait } from 'node:timers/promises';
import { describeWithMonitoring } from '@test/monitoring/find-program';
import { type Monitoring, startMonitoring } from '@test/monitoring/monitoring';
import { playTogether, type Seen } from '@test/monitoring/scenario';
import { NOT_PROVOKED, SCENARIOS } from '@test/monitoring/scenario-parts';
import { alertNames, timing } from '@test/monitoring/shortened-rules';
import { startWatchedService, type WatchedService } from '@test/monitoring/watched-service';
import { until } from '@test/until';

/** Which scenarios: `sample`, `quick`, `all`, or `operator`. */
const WHICH = process.env.ALERTS ?? 'quick';
/** How much quicker `for:` and windows of the rules are. 1: the rules as they are. */
const FACTOR = Number(process.env.ALERTS_FACTOR ?? 120);
/** Longest until an alert is received, or resolved: `for: 75m` and a window of an hour, and a busy machine. */
const PATIENCE_MS = 9_000_000 / FACTOR + 120_000;
const WAITING = { patienceMs: PATIENCE_MS, pauseMs: FACTOR > 1 ? 100 : 1_000 };

describeWithMonitoring('alerts, from the service to who is called', (programs) => {
  let service: WatchedService;
  let monitoring: Monitoring;
  const seen: Seen[] = [];

  beforeAll(async () => {
    service = await startWatchedService();
    monitoring = await startMonitoring(programs, service.targets, FACTOR);
    await until(async () => (await monitoring.query('count(up == 1)')) === 4, 200);
    await until(async () => (await monitoring.query('ai_credit_verified_seconds')) !== undefined, 200);
  }, 240_000);
  afterAll(async () => {
    console.table(seen.map((one) => ({ ...one, ...timing(one.alert, FACTOR) })));
    await monitoring.stop();
    await service.stop();
  });

  it('are none as long as nothing is wrong', async () => {
    await wait(5_000);
    expect(monitoring.receiver.received).toEqual([]);
  }, 240_000);

  it.each(Object.entries(SCENARIOS[WHICH] ?? {}))(
    'are raised and resolved: %s',
    async (_name, scenarios) => {
      seen.push(
        ...(await playTogether(
          monitoring,
          scenarios.map((make) => make(service)),
          WAITING,
        )),
      );
    },
    2 * PATIENCE_MS + 60_000,
  );

  it('are those that the scenarios name; all of the service’s but a few, if all were asked for', () => {
    const raised = new Set(seen.map(({ alert }) => alert));
    expect(raised.size).toBeGreaterThan(3);
    const missing = alertNames().filter((name) => !raised.has(name));
    if (WHICH === 'all') expect(missing.sort()).toEqual(NOT_PROVOKED.toSorted());
  });
});
