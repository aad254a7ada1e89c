import { type OutgoingReport } from '../shared/sms/report-courier';
import { asForm, asJson } from '../shared/sms/report-body';
import { type AcceptedSms, type ReportFormat } from '../shared/sms/sms-control';

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
