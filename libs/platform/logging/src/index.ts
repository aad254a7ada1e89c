export { AccessLog, type AccessLogEntry } from './access-log';
export { createLogger, ROOT_LOGGER, type RootLogger } from './root-logger';
export { LoggingModule } from './logging.module';
export { NestLogger } from './nest-logger';
export { visibleJson, visibleLines, visibleText } from './visible-text';
