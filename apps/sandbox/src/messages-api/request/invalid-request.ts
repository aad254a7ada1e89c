/** The request is one that the real API refuses with 400 `invalid_request_error`. */
export class InvalidRequest extends Error {}
