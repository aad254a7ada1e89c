import type { Client } from 'pg';

/**
 * Sets the clock of a test's database: to an instant at which it then stands still, ahead by an interval such as `1
 * day`, or back to normal. All times in the database follow it.
 */
export async function setDatabaseClock(
  superuser: Client,
  clock: { standsAt: string | Date } | { aheadBy: string } | 'right',
): Promise<void> {
  const now =
    clock === 'right'
      ? 'now()'
      : 'standsAt' in clock
        ? `timestamptz '${new Date(clock.standsAt).toISOString()}'`
        : `now() + interval '${clock.aheadBy}'`;
  await superuser.query(
    `create or replace function app.now() returns timestamptz language sql stable parallel safe as $$ select ${now} $$`,
  );
}
