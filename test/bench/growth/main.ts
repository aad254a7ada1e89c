import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSandbox } from '../../../apps/sandbox/src/sandbox';
import type { OpenApiPaths } from './calls';
import { dropMonth } from './drop-month';
import { measureLatencies } from './latencies';
import { partitionUse, STATISTICS_DELAY_MS, undueReads } from './partition-use';
import { growthOf, print, reportBytes, reportDrop, reportLatencies } from './report';
import { startSite, type Site } from './site';
import { CUSTOMERS, MONTHS, TABLES } from './sizes';
import { bytesOf } from './sizes-on-disk';

const FIRST_PORT = 25_460;
const SAMPLES = Number(process.env.GROWTH_SAMPLES ?? 400);
/** What the p95 may grow by, from the fewest rows to the most. */
const TOLERATED = 1.2;
const DROP_WITHIN_MS = 1_000;
/** With fewer rows a month, a page of a customer reaches back into old months. */
const FULL_MONTH = 100;

/** Sizes of the databases in rows, from the command line: `npm run growth -- 10000 1000000`. */
async function main(sizes: number[]): Promise<void> {
  const document = JSON.parse(readFileSync(join(process.cwd(), 'openapi.json'), 'utf8')) as OpenApiPaths;
  const sandbox = await startSandbox({ recordLimit: 0, reportDelayMs: 1_000_000 });
  const sites: Site[] = [];
  const faults: string[] = [];
  try {
    for (const [index, rows] of sizes.entries()) {
      const start = performance.now();
      sites.push(await startSite(rows, FIRST_PORT + 3 * index, sandbox.url));
      print(
        `${rows.toLocaleString('en')} rows of each table: seeded in ${((performance.now() - start) / 1000).toFixed(0)} s`,
      );
      reportBytes(rows, await bytesOf(sites.at(-1)!.superuser, [...TABLES, 'ai_usage_day']));
    }
    const uses = await Promise.all(sites.map(({ superuser }) => partitionUse(superuser)));
    const latencies = await measureLatencies(sites, document, SAMPLES);
    reportLatencies(sizes, latencies);
    for (const { name, sites: figures } of latencies)
      if (growthOf(figures) > TOLERATED) faults.push(`${name}: p95 × ${growthOf(figures).toFixed(2)}`);

    await delay(STATISTICS_DELAY_MS);
    for (const [index, { rows, superuser }] of sites.entries()) {
      if (rows / CUSTOMERS / MONTHS < FULL_MONTH) continue;
      const undue = undueReads(uses[index]!, await partitionUse(superuser));
      print(
        `\nReads of old months at ${rows.toLocaleString('en')} rows: ${undue.length === 0 ? 'none' : undue.join('; ')}`,
      );
      faults.push(...undue);
    }

    const largest = sites.at(-1)!;
    const dropped = await dropMonth(largest, largest.rows);
    reportDrop(dropped);
    if (dropped.ms > DROP_WITHIN_MS) faults.push(`dropping a month took ${dropped.ms.toFixed(0)} ms`);
  } finally {
    for (const site of sites) await site.stop();
    await sandbox.close();
  }
  print(faults.length === 0 ? '\nAll within bounds' : `\nOut of bounds:\n  ${faults.join('\n  ')}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

const given = process.argv.slice(2).map(Number);
void main(given.length > 0 ? given : [10_000, 100_000, 1_000_000, 10_000_000]);
