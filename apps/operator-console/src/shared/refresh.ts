import { ApiError } from '../client/api';

/** A change that was made elsewhere is seen within five seconds. */
export const REFRESH_MS = 4_000;

/** A 4xx stays what it is; an API that is away, or has too much to do, is asked again, so that the console comes back by itself. */
export const retryUnlessRefused = (failures: number, error: Error): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429 ? false : failures < 5;
