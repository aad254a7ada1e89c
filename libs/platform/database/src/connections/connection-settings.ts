import type { ClientConfig } from 'pg';
import { types } from 'pg';
import type { AppConfig } from '@platform/config';
import type { StatementTimes } from './statement-times';

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

export const PIPELINE_SETTINGS = Symbol('PIPELINE_SETTINGS');

/** Settings and number of the pipelined connections. */
export interface PipelineSettings {
  client: ConnectionSettings;
  size: number;
  /** Where they tell how long they work for customers; default: nowhere. */
  times?: StatementTimes;
}

/**
 * Settings that Citus needs, and that PostgreSQL alone ignores as another extension's. The settings of a program's transaction
 * are made on the workers too: without it their row level security would see no customer. The owner changes related tables in one
 * transaction, shard by shard, and keeps tables that only the coordinator has out of the cluster's metadata.
 */
const CITUS = {
  program: '-c citus.propagate_set_commands=local',
  owner: '-c citus.multi_shard_modify_mode=sequential -c citus.enable_local_reference_table_foreign_keys=off',
};

/**
 * Where sequential scans are off, PostgreSQL before 18 takes one that is left for very expensive, and JIT compiles it at every
 * execution: seconds for a list of a few processes. No statement of ours is long enough to gain by it.
 */
const NO_JIT = '-c jit=off';

/**
 * The API looks rows up by key or walks an index. A plan that was made while a table was empty reads all of it, and stays as
 * long as nobody analyzes the table, however it has grown.
 */
const BY_INDEX = '-c enable_seqscan=off';

/**
 * Driver settings for a connection in the role. The role is set when connecting, so it applies to every statement.
 * @param statementMs how long a statement may take, in milliseconds
 */
export function clientSettings(
  config: AppConfig,
  role: DatabaseRole,
  statementMs = config.DATABASE_STATEMENT_TIMEOUT_MS,
): ClientConfig {
  const timeout = config.DATABASE_STATEMENT_TIMEOUT_MS;
  const guard =
    role === 'owner'
      ? CITUS.owner
      : `-c role=${role} -c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=${timeout} ${NO_JIT} ${CITUS.program}`;
  const plans = role === 'customer_api' ? ` ${BY_INDEX}` : '';
  return {
    connectionString: config.DATABASE_URL,
    application_name: `customer-account-service ${role}`,
    options: `-c timezone=UTC ${guard}${plans}`,
    connectionTimeoutMillis: timeout,
    keepAlive: true,
    // Detects a server that vanished without closing the connection; the statement timeout is the server's own.
    ...(role === 'owner' ? {} : { query_timeout: statementMs + 1000 }),
  };
}
