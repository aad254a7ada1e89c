import { gatewayMessageId } from '../gateway-message-id';
import { linkResult } from './link-result';
import { readJsonObject } from '../read-json-object';
import type { DeliveryReport } from '../../ports/sms-gateway.port';
import { reportTime } from '../../delivery-reports/report-time';

/**
 * Parses a delivery report of LINK Mobility: JSON, posted to the gate.
 * @returns undefined if it is not such a report
 */
export function readLinkReport(body: string): DeliveryReport | undefined {
  const { refId, id, resultCode, timestamp } = readJsonObject(body) ?? {};
  if (typeof refId !== 'string' || typeof resultCode !== 'number') return undefined;
  const result = linkResult(resultCode);
  return {
    reference: refId,
    gatewayMessageId: gatewayMessageId(id),
    status: result.status === 'accepted' ? 'unknown' : result.status,
    errorCode: result.errorCode,
    deliveredAt: result.status === 'delivered' && typeof timestamp === 'string' ? reportTime(timestamp) : null,
  };
}
