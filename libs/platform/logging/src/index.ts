export { AccessLog, type AccessLogEntry } from './access-log';
export { findInLogFiles, tidyLogFiles } from './log-files';
export { createLogger, NestLogger } from './logger';
export { visibleJson, visibleLines, visibleText } from './visible-text';
