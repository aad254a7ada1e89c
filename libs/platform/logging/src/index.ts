export { AccessLog, type AccessLogEntry } from './access-log';
export { createLogger } from './root-logger';
export { NestLogger } from './nest-logger';
export { visibleJson, visibleLines, visibleText } from './visible-text';
