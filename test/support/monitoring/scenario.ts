import { setTimeout as wait } from 'node:timers/promises';
import type { Monitoring } from './monitoring';

/** An alert, with some of its labels where others of its name may fire for another reason. */
export interface ExpectedAlert {
  alert: string;
  labels?: Record<string, string>;
}

/** Something that goes wrong, which alerts it raises, and how it is put right. */
export interface Scenario {
  cause: string;
  alerts: ExpectedAlert[];
  /** Makes it go wrong. */
  provoke?(): Promise<unknown>;
  /** Repeated until all alerts fire: what callers do meanwhile. */
  meanwhile?(): Promise<unknown>;
  /** Puts it right. */
  mend?(): Promise<unknown>;
  /** Repeated until all alerts are resolved. */
  afterwards?(): Promise<unknown>;
}

/** How long it took until an alert was received, and until it was told to be over. */
export interface Seen {
  alert: string;
  /** The labels that it was told apart by. */
  labels: string;
  cause: string;
  firedAfterS: number;
  resolvedAfterS: number;
}

/** How long to wait for an alert, or for its end, and between two looks; in milliseconds. */
export interface Waiting {
  patienceMs: number;
  pauseMs: number;
}

/** Lets all of them happen at the same time, each to its end. @throws the first error, when all have ended */
export async function playTogether(monitoring: Monitoring, scenarios: Scenario[], waiting: Waiting): Promise<Seen[]> {
  const played = await Promise.allSettled(scenarios.map((scenario) => play(monitoring, scenario, waiting)));
  const failed = played.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return played.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

/** Lets it happen. @throws if an alert fires before, or is not received or resolved in time; what was wrong is mended then */
async function play({ receiver }: Monitoring, scenario: Scenario, { patienceMs, pauseMs }: Waiting): Promise<Seen[]> {
  const { alerts, cause } = scenario;
  const fires = ({ alert, labels }: ExpectedAlert) => receiver.fires(alert, labels);
  const early = alerts.filter(fires);
  if (early.length > 0) throw new Error(`Fires before it is provoked: ${early.map(({ alert }) => alert).join()}`);
  /** Seconds until all alerts fire, or none. */
  const until = async (firing: boolean, step?: () => Promise<unknown>) => {
    const began = performance.now();
    const after = new Map<ExpectedAlert, number>();
    while (after.size < alerts.length) {
      const answer = await step?.();
      const seconds = (performance.now() - began) / 1000;
      const missing = alerts.filter((one) => !after.has(one));
      for (const one of missing) if (fires(one) === firing) after.set(one, seconds);
      if (seconds > patienceMs / 1000) {
        const names = missing.map(({ alert }) => alert).join();
        const what = firing ? 'not received' : 'not resolved';
        throw new Error(
          `${cause}: ${names} ${what} within ${seconds} s; the latest call got ${JSON.stringify(answer)}`,
        );
      }
      await wait(pauseMs);
    }
    return after;
  };
  await scenario.provoke?.();
  const fired = await until(true, scenario.meanwhile).finally(() => scenario.mend?.());
  const resolved = await until(false, scenario.afterwards);
  return alerts.map((one) => ({
    alert: one.alert,
    labels: Object.values(one.labels ?? {}).join(),
    cause,
    firedAfterS: Math.round(fired.get(one) ?? NaN),
    resolvedAfterS: Math.round(resolved.get(one) ?? NaN),
  }));
}
