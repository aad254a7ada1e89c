import type { MonthDropped } from './drop-month';
import type { CallLatency } from './latencies';
import type { TableBytes } from './sizes-on-disk';

const MB = 1_000_000;

export function reportLatencies(sizes: readonly number[], latencies: readonly CallLatency[]): void {
  print(`\nMilliseconds, p50 / p95 / p99, at ${sizes.map(text).join(', ')} usage rows, ledger entries and SMS each`);
  for (const { name, sites } of latencies) {
    const figures = sites.map(({ p50, p95, p99 }) => `${ms(p50)} /${ms(p95)} /${ms(p99)}`).join('  |');
    print(`  ${name.padEnd(44)}${figures}  ×${growthOf(sites).toFixed(2)}`);
  }
}

/** The p95 at the last site as a multiple of that at the first. */
export function growthOf(sites: CallLatency['sites']): number {
  return (sites.at(-1)?.p95 ?? 0) / (sites[0]?.p95 ?? 1);
}

export function reportBytes(rows: number, tables: readonly TableBytes[]): void {
  print(`\nBytes at ${text(rows)} rows`);
  for (const { table, rows: count, heap, indexes } of tables) {
    const per = count > 0 ? ((heap + indexes) / count) * 1_000_000 : 0;
    print(
      `  ${table.padEnd(18)} ${text(count)} rows, ${(heap / MB).toFixed(1)} MB and ${(indexes / MB).toFixed(1)} MB of indexes: ${(per / MB).toFixed(0)} MB per million`,
    );
  }
}

export function reportDrop({ rows, bytes, ms: took, longestBefore, longestMeanwhile }: MonthDropped): void {
  print(
    `\nA month of ${text(rows)} rows (${(bytes / MB).toFixed(0)} MB) was dropped in ${took.toFixed(0)} ms; longest call meanwhile ${longestMeanwhile.toFixed(0)} ms, before ${longestBefore.toFixed(0)} ms`,
  );
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function text(number: number): string {
  return Math.round(number).toLocaleString('en');
}

function ms(value: number): string {
  return value.toFixed(2).padStart(7);
}
