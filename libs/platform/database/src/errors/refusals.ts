import type { Client } from 'pg';

/** States of PostgreSQL, and not faults of a statement, by SQLSTATE. */
const REASONS = {
  '53100': 'disk_full',
  '58030': 'disk_error',
  '53200': 'out_of_memory',
  '53300': 'too_many_connections',
  '25006': 'read_only',
  XX001: 'corrupted',
  XX002: 'corrupted',
} as const;

/** Why PostgreSQL refuses what is right in itself. */
export type Refusal = (typeof REASONS)[keyof typeof REASONS];

/** All reasons. */
export const REFUSALS: readonly Refusal[] = [...new Set(Object.values(REASONS))];

/** How often this process was refused for each reason, on all of its connections. */
export const refusalCounts = Object.fromEntries(REFUSALS.map((reason) => [reason, 0])) as Record<Refusal, number>;

/** Counts what the server refuses on a connection, however its replies are awaited: also while it connects. */
export function countRefusals(client: Client): void {
  // The driver's connection, which its types leave out.
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
  connection.on('errorMessage', ({ code }: { code?: string }) => {
    const reason = (REASONS as Partial<Record<string, Refusal>>)[code ?? ''];
    if (reason) refusalCounts[reason]++;
  });
}
