import type { ClientConfig } from 'pg';
import { types } from 'pg';
import type { AppConfig } from '@platform/config';

/**
 * The role of a connection. `customer_api` sees one customer's rows at a time (row level security), `account_operator`
 * sees all customers' rows; `owner` is the user in DATABASE_URL, for migrations only.
 */
export type DatabaseRole = 'customer_api' | 'account_operator' | 'owner';

// A date is a calendar day: the driver's Date would shift it by the machine's time zone.
types.setTypeParser(types.builtins.DATE, (text) => text);

/**
 * Driver settings. `keepOpen`: open a pipelined connection when it is created and again when it is lost, instead of at
 * its first use.
 */
export type ConnectionSettings = ClientConfig & { keepOpen?: boolean };

/** Driver settings for a connection in the role. The role is set when connecting, so it applies to every statement. */
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
    // Detects a server that vanished without closing the connection; the statement timeout is the server's own.
    ...(role === 'owner' ? {} : { query_timeout: timeout + 1000 }),
  };
}
