import type { AppConfig } from '@platform/config';
import { clientSettings, type DatabaseRole, DeadlineClient, UnfitDatabaseError } from '@platform/database';

const STORE = 'insert into billing_zone (zone) values ($1) on conflict (id) do nothing';
const REPLACE = 'update billing_zone set zone = $1';

/** What has months and days of the zone for good: accounts with entries, also those of dropped months, and the sums of days. */
const BOOKED = ['select from ai_account where ledger_sequence > 0 limit 1', 'select from ai_usage_day limit 1'];

/** What storing the billing time zone has changed. */
export interface BillingZoneStored {
  /** None was stored before. */
  isFirst?: boolean;
  /** The one whose place it has taken. */
  former?: string;
}

/**
 * Stores BILLING_TIMEZONE, with which all programs compare theirs, after the migrations.
 * @throws UnfitDatabaseError if AI credit was booked by the months and days of another zone
 */
export async function storeBillingZone(config: AppConfig): Promise<BillingZoneStored> {
  const zone = config.BILLING_TIMEZONE;
  const [isFirst, stored] = await connected(config, 'owner', async (client) => {
    const { rowCount } = await client.query(STORE, [zone]);
    const { rows } = await client.query<{ zone: string }>('select zone from billing_zone');
    return [rowCount === 1, rows[0]?.zone];
  });
  if (stored === undefined || stored === zone) return { isFirst };
  // In the operator's role: row level security may hide all accounts from the owner.
  const booked = await connected(config, 'account_operator', async (client) => {
    for (const statement of BOOKED) if ((await client.query(statement)).rowCount !== 0) return true;
    return false;
  });
  if (booked)
    throw new UnfitDatabaseError(
      `BILLING_TIMEZONE is ${zone}, but AI credit was booked by the months and days of ${stored}, which cannot be changed any more: ` +
        `set BILLING_TIMEZONE=${stored} for all programs, and run the migrations again. If the programs always had ${zone}, ` +
        'correct what is stored instead (docs/handbook/incidents.md)',
    );
  await connected(config, 'owner', (client) => client.query(REPLACE, [zone]));
  return { former: stored };
}

async function connected<T>(
  config: AppConfig,
  role: DatabaseRole,
  work: (client: DeadlineClient) => Promise<T>,
): Promise<T> {
  const client = new DeadlineClient(clientSettings(config, role));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
