export {
  allErrors,
  type CustomerErrorCode,
  ERROR_PAGE,
  type ErrorCatalogEntry,
  type ErrorCode,
  errorCatalog,
  operatorErrorCatalog,
  problemType,
} from './error-catalog';
export {
  pointerSegment,
  ServiceError,
  type ServiceErrorOptions,
  UntracedError,
  type UpstreamRefusal,
} from './service-error';
export { isStorable, requireChange, requireNoFault, requireText, textFault, type TextLength } from './text-rules';
export { typeName } from './type-name';
export { nearMisses, similarName } from './similar-name';
