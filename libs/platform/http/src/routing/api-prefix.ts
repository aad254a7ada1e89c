/** Prefix of the customers' API; health checks and documentation have other paths. */
export const API_PREFIX = 'api/v1';
