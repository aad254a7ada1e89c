import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { AppConfig } from '@platform/config';
import { logFields } from '@platform/context';
import { REDACTED, SecretRedactor } from '@platform/secrets';
import { LogFile } from './log-files';
import { visibleJson } from './visible-text';

/** Names of fields that may contain a secret, at the top or one level down. */
const SECRET_FIELDS = ['authorization', 'cookie', 'x-api-key', 'token', 'password', 'secret', 'key', 'api_key'];

/** Fields of database errors that contain row data: a customer's data, or a secret that is being stored. */
const STATEMENT_DATA = ['parameters', 'detail', 'where'];

/**
 * Writes one JSON object per line on standard output, or on `destination`, and in `LOG_DIRECTORY`; every line has the fields of the
 * context.
 * Known secrets are redacted, and control characters escaped.
 */
export function createLogger(config: AppConfig, destination?: DestinationStream): Logger {
  const redactor = SecretRedactor.forSettings(config);
  const options = {
    level: config.LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: withoutSecrets },
    serializers: { err: withoutStatementData },
    mixin: logFields,
    hooks: { streamWrite: (line: string) => visibleJson(redactor.redact(line)) },
  };
  const { LOG_DIRECTORY } = config;
  if (destination) return pino(options, destination);
  if (LOG_DIRECTORY === undefined) return pino(options);
  return pino(
    options,
    pino.multistream([pino.destination(1), new LogFile(LOG_DIRECTORY)].map((stream) => ({ stream, level: 'trace' }))),
  );
}

/** The fields without secrets. pino's own `redact` takes twice as long as all the rest of a line. */
function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  const safe = without(fields, SECRET_FIELDS);
  // An error has its own serializer.
  const names = Object.keys(safe).filter((name) => name !== 'err');
  return withInner(safe, names, withoutInnerSecrets);
}

function withoutInnerSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return withInner(without(fields, SECRET_FIELDS), ['headers'], (headers) => without(headers, SECRET_FIELDS));
}

/** An error as fields, without secrets, the values of a statement and its rows. */
function withoutStatementData(error: unknown): unknown {
  const serialized: unknown = pino.stdSerializers.err(error as Error);
  if (typeof serialized !== 'object' || serialized === null) return serialized;
  const fields = without(withoutInnerSecrets({ ...serialized }), STATEMENT_DATA);
  // Of a job that failed for several customers.
  if (error instanceof AggregateError) fields.aggregateErrors = error.errors.map(withoutStatementData);
  const safe = withInner(fields, ['driverError', 'cause'], (inner) => without(inner, STATEMENT_DATA));
  // Those of a ServiceError are a field of it, with the whole of the underlying error.
  return withInner(safe, ['options'], (options) =>
    options.cause === undefined ? options : { ...options, cause: withoutStatementData(options.cause) },
  );
}

/** The object; a copy of it if one of these fields is to be replaced. */
function without(object: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of names) if (object[name] !== undefined) (copy ??= { ...object })[name] = REDACTED;
  return copy ?? object;
}

/** The object; a copy of it if `change` changes one of the objects in these fields. */
function withInner(
  object: Record<string, unknown>,
  names: readonly string[],
  change: (inner: Record<string, unknown>) => Record<string, unknown>,
): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of names) {
    const inner = object[name];
    if (typeof inner !== 'object' || inner === null) continue;
    const changed = change(inner as Record<string, unknown>);
    if (changed !== inner) (copy ??= { ...object })[name] = changed;
  }
  return copy ?? object;
}

/** Nest's own messages about modules and routes that it sets up: only useful for debugging that. */
const SET_UP = ['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'];

/** Writes the messages that `Logger` of @nestjs/common is given, Nest's own too, with the process's logger. */
export class NestLogger implements LoggerService {
  private readonly logger: Logger;

  /** @param destination where lines are written; default standard output */
  constructor(config: AppConfig, destination?: DestinationStream) {
    this.logger = createLogger(config, destination);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(SET_UP.includes(rest.at(-1) as string) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  private write(
    level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = rest.findLast((part) => typeof part === 'string');
    if (message instanceof Error) this.logger[level]({ err: message, context }, message.message);
    else if (typeof message === 'object') this.logger[level]({ ...message, context });
    else this.logger[level]({ context }, String(message as number));
  }
}
