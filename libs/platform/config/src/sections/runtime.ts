import { z } from 'zod';
import { address, days, flag, millisecondsOrNone, port, proxies } from './types';

/** General settings of a process. */
export const runtime = {
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('development')
    .describe('in production, the sandbox, the demo customer and missing or weak secrets are refused'),
  HOST: z.string().min(1).default('127.0.0.1').describe('address the API listens on'),
  PORT: port.default(3000).describe('port the API listens on'),
  INTERNAL_HOST: z.string().min(1).default('127.0.0.1').describe('address of the internal listener'),
  INTERNAL_PORT: port
    .default(9464)
    .describe('port of the internal listener (metrics, delivery reports); never publish it'),
  WORKER_INTERNAL_PORT: port
    .optional()
    .describe("port of the worker's internal listener under npm start; default INTERNAL_PORT + 1"),
  PUBLIC_URL: address.optional().describe('address customers reach the API under; default http://localhost:PORT'),
  TRUST_PROXY: proxies
    .optional()
    .describe('comma separated addresses or ranges of proxies whose X-Forwarded-For is believed; default none'),
  OPERATOR_NAME: z
    .string()
    .optional()
    .describe(
      "name of the person who runs the operator's commands, for the audit log. The option --as overrides it; production requires one of the two",
    ),
  OPERATOR_TERMINAL: flag
    .default(false)
    .describe(
      "whether somebody at a terminal answers the questions of the operator's commands, also if standard input is not the terminal itself; apps/operator/operator.sh sets it",
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('least severe level logged'),
  LOG_DIRECTORY: z
    .string()
    .min(1)
    .optional()
    .describe('folder that gets a copy of all log lines: a file for each host and day; default: none'),
  LOG_RETENTION_DAYS: days.default(14).describe('days that files in LOG_DIRECTORY are kept'),
  SHUTDOWN_GRACE_MS: millisecondsOrNone
    .default(8000)
    .describe('milliseconds that requests in flight get to finish after SIGTERM'),
  SHUTDOWN_IDLE_MS: millisecondsOrNone
    .default(2000)
    .describe(
      'milliseconds that an idle connection stays open after SIGTERM: longer than the proxy in front keeps idle connections (ours: 1 second), so that it never sends a request on a connection that is being closed',
    ),
  SANDBOX_URL: address.optional().describe('base address of the sandbox upstreams; refused in production'),
  DEMO_CUSTOMER: flag.default(false).describe('create a demo customer at start; refused in production'),
  SECRETS_KEY: z
    .string()
    .optional()
    .describe(
      '32 random bytes in base64 (openssl rand -base64 32) that encrypt stored secrets; required in production',
    ),
  FORMER_SECRETS_KEY: z
    .string()
    .optional()
    .describe(
      'SECRETS_KEY before its last change, so that data encrypted under it can still be read. Needed until operator secrets reencrypt has run, and for three days in any case, because of the replies kept for Idempotency-Keys (a day) and the delivery reports of SMS that are still on their way',
    ),
};
