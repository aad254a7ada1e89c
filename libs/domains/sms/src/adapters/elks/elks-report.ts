import { gatewayMessageId } from '../gateway-message-id';
import type { DeliveryReport } from '../../ports/sms-gateway.port';
import { reportTime } from '../../delivery-reports/report-time';

/**
 * Parses a delivery report of 46elks: a form, posted to the address that was sent with the message and ends in its
 * reference.
 * @returns undefined if it is not such a report
 */
export function readElksReport(reference: string, body: string): DeliveryReport | undefined {
  const form = new URLSearchParams(body);
  const [id, status] = [form.get('id'), form.get('status')];
  if (!id || (status !== 'sent' && status !== 'delivered' && status !== 'failed')) return undefined;
  return {
    reference,
    gatewayMessageId: gatewayMessageId(id),
    status,
    errorCode: status === 'failed' ? 'not_delivered' : null,
    deliveredAt: status === 'delivered' ? utcTime(form.get('delivered')) : null,
  };
}

/** Parses a time of 46elks: UTC with microseconds and no zone. */
function utcTime(text: string | null): Date | null {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?/.exec(text ?? '')?.[0];
  return time === undefined ? null : reportTime(`${time}Z`);
}
