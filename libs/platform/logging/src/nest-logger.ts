import type { LoggerService } from '@nestjs/common';
import type { DestinationStream, Logger } from 'pino';
import type { AppConfig } from '@platform/config';
import { createLogger } from './root-logger';

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
