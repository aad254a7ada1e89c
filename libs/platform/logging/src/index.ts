export { AccessLog, type AccessLogEntry } from './access-log';
export { createLogger, NestLogger } from './logger';
export { visibleJson, visibleLines, visibleText } from './visible-text';
