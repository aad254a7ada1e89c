import { type Call, type OpenApiPaths, planCalls } from './calls';
import { type Percentiles, percentilesOf } from './percentiles';
import type { Site } from './site';

/** Callers of each site, each with ids and cursors of its own. */
const CALLERS = 8;
const ROUNDS = 5;

/** How long a kind of call takes, at each site. */
export interface CallLatency {
  name: string;
  sites: Percentiles[];
}

interface Caller {
  token: string;
  calls: Call[];
}

/**
 * Measures each kind of call at all sites in turn, one request at a time, so that what else the machine does affects all sites
 * alike. @throws for a reply that is not a success
 */
export async function measureLatencies(sites: Site[], document: OpenApiPaths, samples: number): Promise<CallLatency[]> {
  const callers = await Promise.all(sites.map((site) => callersOf(site, document)));
  const names = callers[0]?.[0]?.calls.map(({ name }) => name) ?? [];
  const latencies: CallLatency[] = [];
  for (const name of names) {
    for (const [index, site] of sites.entries())
      for (let warm = 0; warm < CALLERS; warm++) await time(site, callers[index]!, name, warm);
    const rounds = sites.map(() => [] as number[][]);
    for (let round = 0; round < ROUNDS; round++) {
      for (const of of rounds) of.push([]);
      for (let sample = 0; sample < samples / ROUNDS; sample++) {
        for (let turn = 0; turn < sites.length; turn++) {
          // Another site begins each time: none always follows the same one.
          const index = (sample + turn) % sites.length;
          rounds[index]!.at(-1)!.push(await time(sites[index]!, callers[index]!, name, sample));
        }
      }
    }
    latencies.push({ name, sites: rounds.map(percentilesOf) });
  }
  return latencies;
}

async function callersOf(site: Site, document: OpenApiPaths): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const token of site.tokens.slice(0, CALLERS)) {
    // Something to read one of and to reply to.
    await send(site, token, {
      name: 'seed',
      method: 'POST',
      path: '/support/tickets',
      body: () => ({ title: 't', body: 'b' }),
    });
    callers.push({ token, calls: await planCalls(site.origin, token, document) });
  }
  return callers;
}

async function time(site: Site, callers: Caller[], name: string, sample: number): Promise<number> {
  const { token, calls } = callers[sample % callers.length] as Caller;
  const call = calls.find((planned) => planned.name === name);
  if (!call) throw new Error(`${name} is not possible at every site`);
  const start = performance.now();
  await send(site, token, call);
  return performance.now() - start;
}

/** Sends a call and reads its reply. */
export async function send(site: Site, token: string, { name, method, path, body }: Call): Promise<void> {
  const reply = await fetch(`${site.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body()),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${name}: ${reply.status} ${text}`);
}
