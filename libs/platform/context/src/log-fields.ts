import { ClsServiceManager } from 'nestjs-cls';
import type { WorkContext } from './work-context';

/** The fields of the context that every log line has. */
export function logFields(): { request_id?: string; customer_id?: string } {
  const { requestId, customerId } = (ClsServiceManager.getClsService().get() as WorkContext | undefined) ?? {};
  return { request_id: requestId, customer_id: customerId };
}
