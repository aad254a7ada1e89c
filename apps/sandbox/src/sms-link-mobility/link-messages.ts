import { nextDigest } from '../shared/identifiers';
import { type AcceptedSms, countSegments, type ReportFormat } from '../shared/sms/sms-control';
import { asForm, asJson, type OutgoingReport } from '../shared/sms/report-courier';

/** A message that LINK refuses: a result code in a 400. */
export class RefusedMessage extends Error {
  constructor(
    readonly resultCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** A message with the options that the reply depends on. */
export interface LinkRequest {
  sms: AcceptedSms;
  /** The client wants 204 and no body. */
  ignoreResponse: boolean;
  /** The client asks for the number of SMS in the reply. */
  replySmsCount: boolean;
}

/** Reads a send request, with the refusals of the gateway. `gates` maps the ids of delivery report gates to their URLs. */
export function readRequest(body: Buffer, gates: ReadonlyMap<string, string>): LinkRequest {
  const message = parse(body);
  const text = (key: string) => (typeof message[key] === 'string' ? message[key] : '');
  if (!text('platformId')) throw new RefusedMessage(106200, 'Invalid or missing platformId');
  if (!text('platformPartnerId')) throw new RefusedMessage(106201, 'Invalid or missing platformPartnerId');
  checkSource(text('source'), text('sourceTON') || 'ALPHANUMERIC');
  if (!/^\+[1-9]\d{6,14}$/.test(text('destination'))) throw new RefusedMessage(2102, 'Invalid destination MSISDN');
  if (!text('userData')) throw new RefusedMessage(4001, 'Invalid message content');
  // The gateway accepts no character that takes four bytes in UTF-8.
  if (/[\u{10000}-\u{10ffff}]/u.test(text('userData')))
    throw new RefusedMessage(4001, 'Invalid message content: 4-byte Unicode');
  const customParameters = (message.customParameters ?? {}) as Record<string, unknown>;
  return {
    sms: {
      id: nextDigest().toString('base64'),
      from: text('source'),
      to: text('destination'),
      text: text('userData'),
      segments: countSegments(text('userData')),
      ...(text('refId') && { reference: text('refId') }),
      reportUrls: reportUrls(message, gates),
    },
    ignoreResponse: message.ignoreResponse === true,
    replySmsCount: String(customParameters.replySmsCount).toLowerCase() === 'true',
  };
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below, like JSON of another kind.
  }
  throw new RefusedMessage(106000, 'The request body is not a JSON object');
}

function checkSource(source: string, kind: string): void {
  const shape =
    { ALPHANUMERIC: /^(?=.*[a-z])[a-z0-9 ]{1,11}$/i, MSISDN: /^\+[1-9]\d{6,14}$/, SHORTNUMBER: /^\d{1,14}$/ }[kind] ??
    /^$/;
  if (!shape.test(source) || source === '') throw new RefusedMessage(2000, 'Invalid source');
}

/** Delivery reports are sent unless switched off; without a gate that is an error. */
function reportUrls(message: Record<string, unknown>, gates: ReadonlyMap<string, string>): string[] {
  if (message.useDeliveryReport === false) return [];
  const named = message.deliveryReportGates;
  if (!Array.isArray(named) || named.length === 0) throw new RefusedMessage(106300, 'No gates available');
  return named.map((gate) => {
    const url = gates.get(String(gate));
    if (url === undefined) throw new RefusedMessage(106301, 'Specified gate not available');
    return url;
  });
}

/** Result codes of a delivery report that this project has names for. */
export const LINK_RESULT = {
  sentToOperator: 1000,
  delivered: 1001,
  expired: 1002,
  queued: 1005,
  notDelivered: 1006,
} as const;

/** Delivery reports as LINK Mobility posts them: JSON, to each gate named in the message, by default the final state only. */
export const linkReports: ReportFormat<number> = {
  usual: [LINK_RESULT.delivered],
  parse: (word) => (/^\d{1,6}$/.test(word) ? Number(word) : undefined),
  write: (sms, resultCode) => sms.reportUrls.map((url) => report(url, sms, resultCode)),
};

function report(url: string, sms: AcceptedSms, resultCode: number): OutgoingReport {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const { id = sms.id, time = now, as = 'json' } = sms.distortion ?? {};
  const fields = {
    refId: sms.reference ?? null,
    id,
    operator: 'no.telenor',
    sentTimestamp: now,
    timestamp: time,
    resultCode,
    operatorResultCode: String(resultCode),
    segments: sms.segments,
    gateCustomParameters: {},
    customParameters: {},
  };
  return {
    url,
    ...(as === 'json' ? asJson(fields) : asForm(fields)),
    accepted: (answer) => answer === 200,
  };
}
