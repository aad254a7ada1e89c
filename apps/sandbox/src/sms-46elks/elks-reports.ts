import { type OutgoingReport } from '../shared/sms/report-courier';
import { asForm, asJson } from '../shared/sms/report-body';
import { type AcceptedSms, type ReportFormat } from '../shared/sms/sms-control';

const STATUSES = ['sent', 'delivered', 'failed'] as const;

/** Statuses in delivery reports of 46elks. */
export type ElksStatus = (typeof STATUSES)[number];

/** Delivery reports as 46elks posts them: a form, to the address that came with the message. */
export const elksReports: ReportFormat<ElksStatus> = {
  usual: ['sent', 'delivered'],
  parse: (word) => STATUSES.find((status) => status === word),
  write: (sms, status) => sms.reportUrls.map((url) => report(url, sms, status)),
};

function report(url: string, sms: AcceptedSms, status: ElksStatus): OutgoingReport {
  const { id = sms.id, time = elksTime(new Date()), as = 'form' } = sms.distortion ?? {};
  const fields = { id, status, ...(status === 'delivered' && { delivered: time }) };
  return {
    url,
    ...(as === 'form' ? asForm(fields) : asJson(fields)),
    accepted: (answer) => answer >= 200 && answer <= 204,
  };
}

/** UTC with microseconds and no zone, as 46elks writes times. */
export function elksTime(time: Date): string {
  return time.toISOString().replace('Z', '000');
}
