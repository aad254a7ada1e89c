import type { ClsStore } from 'nestjs-cls';

/** What is known of the work that the present code belongs to. A process has this one asynchronous context. */
export interface WorkContext extends ClsStore {
  /** The customer on whose behalf the work is done: a UUID. */
  readonly customerId?: string;
  /** The id of the request that began it. */
  readonly requestId?: string;
}
