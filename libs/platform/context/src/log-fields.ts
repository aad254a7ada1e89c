import { ClsServiceManager } from 'nestjs-cls';
import { type TraceIds, traceIds } from '@platform/tracing';
import type { WorkContext } from './work-context';

/** The fields of the context that every log line has. */
export function logFields(): { request_id?: string; customer_id?: string } & Partial<TraceIds> {
  const { requestId, customerId } = (ClsServiceManager.getClsService().get() as WorkContext | undefined) ?? {};
  return { request_id: requestId, customer_id: customerId, ...traceIds() };
}
