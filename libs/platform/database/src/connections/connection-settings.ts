import type { ClientConfig } from 'pg';
import { types } from 'pg';
import type { AppConfig } from '@platform/config';

/**
 * What a connection may do. `customer_api` sees one customer's rows at a time (row level security), `account_operator`
 * sees all customers' rows; `owner` is whoever DATABASE_URL names, and only migrates.
 */
export type DatabaseRole = 'customer_api' | 'account_operator' | 'owner';

// A date is a day, not an instant: the driver's own Date would shift it by the machine's time zone.
types.setTypeParser(types.builtins.DATE, (text) => text);

/** Driver settings, and whether a pipelined connection is opened when it is made and again when it is lost, or when it is used. */
export type ConnectionSettings = ClientConfig & { keepOpen?: boolean };

/** Driver settings for a connection in the role. The role is taken when connecting, so it holds for every statement. */
export function clientSettings(config: AppConfig, role: DatabaseRole): ClientConfig {
  const timeout = config.DATABASE_STATEMENT_TIMEOUT_MS;
  const guard =
    role === 'owner'
      ? ''
      : `-c role=${role} -c statement_timeout=${timeout} -c idle_in_transaction_session_timeout=${timeout}`;
  return {
    connectionString: config.DATABASE_URL,
    application_name: `customer-account-service ${role}`,
    options: `-c timezone=UTC ${guard}`.trim(),
    connectionTimeoutMillis: timeout,
    keepAlive: true,
    // A server that vanished without a word is noticed here; the statement timeout is the server's own.
    ...(role === 'owner' ? {} : { query_timeout: timeout + 1000 }),
  };
}
