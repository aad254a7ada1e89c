import { gatewayMessageId } from '../gateway/gateway-message-id';
import { linkResult } from '../gateway/link-result';
import { readJsonObject } from '../gateway/read-json-object';
import type { DeliveryReport } from '../gateway/sms-gateway';
<<<<<<< HEAD
import { isGatewayId, reportedTime } from './reported-values';
=======
import { reportTime } from './report-time';
>>>>>>> e03c52c (SMS: result codes that say nothing certain leave the outcome unknown; senders by gateway; countries, premium and satellite numbers; a cap in parts; strange delivery reports are taken in)

/** Reads a delivery report of LINK Mobility: JSON, posted to the gate. @returns nothing if it is not such a report. */
export function readLinkReport(body: string): DeliveryReport | undefined {
  const { refId, id, resultCode, timestamp } = readJsonObject(body) ?? {};
  if (typeof refId !== 'string' || typeof resultCode !== 'number') return undefined;
  if (typeof id === 'string' && !isGatewayId(id)) return undefined;
  const result = linkResult(resultCode);
<<<<<<< HEAD
  const time = typeof timestamp === 'string' ? reportedTime(timestamp) : undefined;
=======
>>>>>>> e03c52c (SMS: result codes that say nothing certain leave the outcome unknown; senders by gateway; countries, premium and satellite numbers; a cap in parts; strange delivery reports are taken in)
  return {
    reference: refId,
    gatewayMessageId: gatewayMessageId(id),
    status: result.status === 'accepted' ? 'unknown' : result.status,
    errorCode: result.errorCode,
<<<<<<< HEAD
    deliveredAt: result.status === 'delivered' ? (time ?? null) : null,
=======
    deliveredAt: result.status === 'delivered' && typeof timestamp === 'string' ? reportTime(timestamp) : null,
>>>>>>> e03c52c (SMS: result codes that say nothing certain leave the outcome unknown; senders by gateway; countries, premium and satellite numbers; a cap in parts; strange delivery reports are taken in)
  };
}
