export { ERROR_PAGE, type ErrorCatalogEntry, type ErrorCode, errorCatalog, problemType } from './error-catalog';
export { ServiceError, type ServiceErrorOptions } from './service-error';
export { typeName } from './type-name';
