import { percentilesOf } from '../growth/percentiles';
import { loadStreams, type StreamLoad, type StreamRequest } from './stream-load';

/** A gateway in front of the stand-in upstream, or the upstream itself. */
export interface StreamContestant {
  name: string;
  request: StreamRequest;
}

/**
 * Measures the gateways in turn, round after round, and prints the medians: streams per second, also as a ratio to the last
 * one, and what each adds to the time until the first event of a stream that the upstream sends by itself.
 */
export async function compareStreams(
  upstream: StreamContestant,
  gateways: StreamContestant[],
  { connections, seconds, rounds }: { connections: number; seconds: number; rounds: number },
): Promise<void> {
  const loads = new Map<string, StreamLoad[]>();
  for (let round = 0; round <= rounds; round++) {
    // Who comes first differs from round to round: the first may find the machine in another state.
    for (const { name, request } of [upstream, ...(round % 2 === 0 ? gateways : gateways.toReversed())]) {
      const load = await loadStreams(request, connections, round === 0 ? Math.max(2, seconds / 2) : seconds);
      if (round > 0) loads.set(name, [...(loads.get(name) ?? []), load]);
    }
  }
  const of = (name: string) => {
    const all = loads.get(name) ?? [];
    const perSecond = percentilesOf([all.map((load) => load.perSecond)]).p50;
    return { perSecond, firstEvent: percentilesOf(all.map((load) => load.firstEvents)) };
  };
  const direct = of(upstream.name).firstEvent.p50;
  const base = of(gateways.at(-1)?.name ?? '').perSecond;
  for (const { name } of gateways) {
    const { perSecond, firstEvent } = of(name);
    const [p50, p99] = [firstEvent.p50, firstEvent.p99].map((ms) => (ms - direct).toFixed(1));
    process.stdout.write(
      `  ${name.padEnd(34)} ${perSecond.toFixed(0).padStart(7)} streams/s  ×${(perSecond / base).toFixed(2)}  ` +
        `first event later by p50 ${p50} ms  p99 ${p99} ms\n`,
    );
  }
}
