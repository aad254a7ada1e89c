import type { ClsStore } from 'nestjs-cls';

/** The values of the asynchronous context. */
export interface WorkContext extends ClsStore {
  /** The customer on whose behalf the code runs: a UUID. */
  readonly customerId?: string;
  /** The id of the request. */
  readonly requestId?: string;
}
