import type { CallHandler, ExecutionContext } from '@nestjs/common';
import type { Observable } from 'rxjs';

interface Interceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown>;
}

/**
 * Two interceptors as one: `inner` runs within `outer`. Nest makes several observables and promises for each interceptor
 * of each request, even if it has nothing to do: 3.7 kB and some 5 % of what a `GET` of one row takes.
 */
export function combineInterceptors(outer: Interceptor, inner: Interceptor): Interceptor {
  return {
    intercept: (execution, next) => outer.intercept(execution, { handle: () => inner.intercept(execution, next) }),
  };
}
