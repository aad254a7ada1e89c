import { linkResult } from '../gateway/link-result';
import { readJsonObject } from '../gateway/read-json-object';
import type { DeliveryReport } from '../gateway/sms-gateway';
import { isGatewayId, reportedTime } from './reported-values';

/** Reads a delivery report of LINK Mobility: JSON, posted to the gate. @returns nothing if it is not such a report. */
export function readLinkReport(body: string): DeliveryReport | undefined {
  const { refId, id, resultCode, timestamp } = readJsonObject(body) ?? {};
  if (typeof refId !== 'string' || typeof resultCode !== 'number') return undefined;
  if (typeof id === 'string' && !isGatewayId(id)) return undefined;
  const result = linkResult(resultCode);
  const time = typeof timestamp === 'string' ? reportedTime(timestamp) : undefined;
  return {
    reference: refId,
    gatewayMessageId: typeof id === 'string' ? id : null,
    status: result.status === 'accepted' ? 'unknown' : result.status,
    errorCode: result.errorCode,
    deliveredAt: result.status === 'delivered' ? (time ?? null) : null,
  };
}
