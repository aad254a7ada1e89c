export { type ErrorCode, errorCatalog } from './error-catalog';
export { ServiceError, type ServiceErrorOptions } from './service-error';
