export { type ErrorCatalogEntry, type ErrorCode, errorCatalog } from './error-catalog';
export { ERROR_PAGE, problemType } from './problem-type';
export { ServiceError, type ServiceErrorOptions } from './service-error';
export { typeName } from './type-name';
