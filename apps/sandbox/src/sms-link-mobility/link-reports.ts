import { type OutgoingReport } from '../shared/report-courier';
import { type AcceptedSms, type ReportFormat } from '../shared/sms-control';

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
  return {
    url,
    contentType: 'application/json',
    body: JSON.stringify({
      refId: sms.reference ?? null,
      id: sms.id,
      operator: 'no.telenor',
      sentTimestamp: now,
      timestamp: now,
      resultCode,
      operatorResultCode: String(resultCode),
      segments: sms.segments,
      gateCustomParameters: {},
      customParameters: {},
    }),
    accepted: (answer) => answer === 200,
  };
}
