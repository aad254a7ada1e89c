/** Paths below it are the customers' interface; health checks and documents are not. */
export const API_PREFIX = 'api/v1';
