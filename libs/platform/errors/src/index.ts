export { ERROR_PAGE, type ErrorCatalogEntry, type ErrorCode, errorCatalog, problemType } from './error-catalog';
export { ServiceError, type ServiceErrorOptions } from './service-error';
export { typeName } from './type-name';
export { nearMisses, similarName } from './similar-name';
