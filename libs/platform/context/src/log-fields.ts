import { ClsServiceManager } from 'nestjs-cls';
import type { WorkContext } from './work-context';

/** The fields that every line logged during the present work carries. */
export function logFields(): { request_id?: string; customer_id?: string } {
  const { requestId, customerId } = (ClsServiceManager.getClsService().get() as WorkContext | undefined) ?? {};
  return { request_id: requestId, customer_id: customerId };
}
