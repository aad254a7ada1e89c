export { LogContext } from './log-context';
export { createAccessLogger, createLogger, ROOT_LOGGER, type RootLogger } from './root-logger';
export { LoggingModule } from './logging.module';
export { NestLogger } from './nest-logger';
