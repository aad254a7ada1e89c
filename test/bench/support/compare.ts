import type autocannon from 'autocannon';
import { packagesOfBenchmarks } from './packages';

const measure = packagesOfBenchmarks('autocannon') as typeof autocannon;

/** One of the servers to compare. */
export interface Contestant {
  name: string;
  url: string;
  /** One per token. Each connection sends its share of them, in turn. */
  requests: autocannon.Request[];
}

/** Duration and concurrency of the load. */
export interface Load {
  connections: number;
  seconds: number;
  rounds: number;
}

/** The median of the rounds, in successful requests per second. */
export interface Figure {
  name: string;
  perSecond: number;
  p50: number;
  p99: number;
  /** Successful requests per second of each round. */
  rounds: number[];
}

/**
 * Measures the contestants in turn, round after round, so that a slow moment of the machine affects all of them; the
 * first round is a warm-up. @throws if a reply is not a 2xx
 */
export async function compare(contestants: Contestant[], load: Load): Promise<Figure[]> {
  const results = new Map<string, autocannon.Result[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= load.rounds; round++) {
    // Who comes first differs from round to round: the first may find the machine in another state.
    for (const { name, url, requests } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const duration = round === 0 ? Math.max(2, load.seconds / 2) : load.seconds;
      const { connections } = load;
      const result = await measure({ url, connections, duration, setupClient: shared(requests, connections) });
      if (result.non2xx + result.errors > 0)
        throw new Error(`${name}: ${result.non2xx} refused, ${result.errors} failed`);
      if (round > 0) results.get(name)?.push(result);
    }
  }
  return contestants.map(({ name }) => {
    const rounds = results.get(name) ?? [];
    return {
      name,
      perSecond: median(rounds.map(({ requests }) => requests.average)),
      p50: median(rounds.map(({ latency }) => latency.p50)),
      p99: median(rounds.map(({ latency }) => latency.p99)),
      rounds: rounds.map(({ requests }) => requests.average),
    };
  });
}

/** Gives every connection its share of the requests: preparing all of them for each would take a part of the round. */
function shared(requests: autocannon.Request[], connections: number): (client: autocannon.Client) => void {
  let connection = 0;
  return (client) => {
    const own = connection++ % Math.min(connections, requests.length);
    client.setRequests(requests.filter((_, index) => index % connections === own));
  };
}

/** Prints the figures, each also as a ratio to the last one: the median of the ratios round by round. */
export function report(title: string, figures: Figure[]): void {
  const base = figures.at(-1)?.rounds ?? [];
  process.stdout.write(`\n${title}\n`);
  for (const { name, perSecond, p50, p99, rounds } of figures) {
    const ratio = ratioOf(rounds, base);
    process.stdout.write(
      `  ${name.padEnd(34)} ${perSecond.toFixed(0).padStart(7)} req/s  ${ratio}  p50 ${p50} ms  p99 ${p99} ms\n`,
    );
  }
}

/** The median of the ratios of two contestants round by round, with the least and the greatest. */
export function ratioOf(rounds: readonly number[], base: readonly number[]): string {
  const ratios = rounds.map((value, round) => value / (base[round] ?? value));
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  return `×${median(ratios).toFixed(2)} (${least} to ${most})`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
