import type { LoggerService } from '@nestjs/common';
import type { RootLogger } from './root-logger';

/** Passes Nest's log messages to the process's logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: RootLogger) {}

  log(message: unknown, ...rest: unknown[]): void {
    // Nest logs each module and route that it sets up: only useful for debugging the set-up.
    this.write('debug', message, rest);
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

  private write(level: 'fatal' | 'error' | 'warn' | 'debug' | 'trace', message: unknown, rest: unknown[]): void {
    const context = rest.findLast((part) => typeof part === 'string');
    if (message instanceof Error) this.logger[level]({ err: message, context }, message.message);
    else if (typeof message === 'object') this.logger[level]({ ...message, context });
    else this.logger[level]({ context }, String(message as number));
  }
}
