import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { CreditLedger } from '@domains/ai';

/** Customers who call at the same time. */
const AT_ONCE = 64;
const USAGE = { input: 12, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0, output: 20 };

/** A load: how many calls a customer makes at once, and for how long. */
export interface LedgerLoad {
  calls: number;
  seconds: number;
}

export interface LedgerFigures {
  perSecond: number;
  /** From the request for a reservation to the settlement, in ms. */
  p50: number;
  p99: number;
}

/** Reserves and settles calls without a provider in between, one customer after another in each of many lanes. */
export async function callsPerSecond(
  app: INestApplicationContext,
  customers: readonly string[],
  { calls, seconds }: LedgerLoad,
): Promise<LedgerFigures> {
  const ledger = app.get(CreditLedger);
  const begun = performance.now();
  const times: number[] = [];
  let next = 0;
  const call = async (customerId: string) => {
    const at = performance.now();
    await makeCall(ledger, customerId);
    times.push(performance.now() - at);
  };
  const lane = async () => {
    while (performance.now() - begun < seconds * 1000) {
      const customerId = customers[next++ % customers.length] as string;
      await Promise.all(Array.from({ length: calls }, () => call(customerId)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const elapsed = (performance.now() - begun) / 1000;
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0;
  return { perSecond: times.length / elapsed, p50: at(0.5), p99: at(0.99) };
}

async function makeCall(ledger: CreditLedger, customerId: string): Promise<void> {
  const reserved = await ledger.reserve({
    customerId,
    seed: randomUUID(),
    inputTokens: 20,
    cache: 'none',
    maxTokens: 64,
    leastTokens: 64,
    mayShorten: false,
    streamed: false,
    requestId: randomUUID(),
    tokenId: null,
  });
  if (reserved.outcome !== 'reserved') throw new Error(`No credit was reserved: ${reserved.outcome}`);
  const { reservationId } = reserved;
  await ledger.settle({ customerId, reservationId, usage: USAGE, upstreamId: null });
}
