import { type DestinationStream, type Logger, pino } from 'pino';
import type { AppConfig } from '@platform/config';
import { logFields } from '@platform/context';
import { SecretRedactor } from '@platform/secrets';
import { visibleJson } from './visible-text';

/** Names of fields that may contain a secret, at the top or one level down. */
const SECRET_FIELDS = ['authorization', 'cookie', 'x-api-key', 'token', 'password', 'secret', 'key', 'api_key'];

/** Fields of database errors that contain row data: a customer's data, or a secret that is being stored. */
const STATEMENT_DATA = ['parameters', 'detail', 'where'];

/**
 * Writes one JSON object per line on standard output, or on `destination`; every line has the fields of the context.
 * Known secrets are redacted, and control characters escaped.
 */
export function createLogger(config: AppConfig, destination?: DestinationStream): Logger {
  const redactor = SecretRedactor.of(config);
  const options = {
    level: config.LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: logFields,
    redact: {
      paths: [
        ...SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.headers["${name}"]`]),
        ...STATEMENT_DATA.flatMap((name) => [`err["${name}"]`, `err.driverError["${name}"]`, `err.cause["${name}"]`]),
      ],
      censor: '[redacted]',
    },
    hooks: { streamWrite: (line: string) => visibleJson(redactor.redact(line)) },
  };
  return destination ? pino(options, destination) : pino(options);
}
