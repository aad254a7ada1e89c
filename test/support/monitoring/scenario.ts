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
  cause: string;
  firedAfterS: number;
  resolvedAfterS: number;
}

const PAUSE_MS = 100;

/** Lets it happen. @returns when each alert was received and resolved @throws if an alert fires before */
export async function play({ receiver }: Monitoring, scenario: Scenario): Promise<Seen[]> {
  const { alerts, cause } = scenario;
  const early = alerts.filter(({ alert, labels }) => receiver.fires(alert, labels));
  if (early.length > 0) throw new Error(`Fires before it is provoked: ${early.map(({ alert }) => alert).join()}`);
  const until = async (firing: boolean, step?: () => Promise<unknown>) => {
    const began = performance.now();
    const after = new Map<ExpectedAlert, number>();
    while (after.size < alerts.length) {
      await step?.();
      for (const one of alerts)
        if (!after.has(one) && receiver.fires(one.alert, one.labels) === firing)
          after.set(one, (performance.now() - began) / 1000);
      await wait(PAUSE_MS);
    }
    return after;
  };
  const names = alerts.map(({ alert }) => alert).join();
  await scenario.provoke?.();
  const fired = await until(true, scenario.meanwhile);
  await scenario.mend?.();
  console.log(`${names}: fired`);
  const resolved = await until(false, scenario.afterwards);
  console.log(`${names}: resolved`);
  return alerts.map((one) => ({
    alert: one.alert,
    cause,
    firedAfterS: Math.round(fired.get(one) ?? NaN),
    resolvedAfterS: Math.round(resolved.get(one) ?? NaN),
  }));
}
