import { nextDigest } from '../shared/identifiers';
import { type AcceptedSms, countSegments, type ReportFormat } from '../shared/sms/sms-control';
import { asForm, asJson, type OutgoingReport } from '../shared/sms/report-courier';

/** In ten-thousandths of the account's currency. */
const COST_PER_PART = 3500;

/** A form that 46elks refuses: 403 for a missing field, 400 for an invalid one; the texts are for people. */
export class RefusedForm extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Parses the form of a send, with the refusals of the gateway. */
export function readForm(body: Buffer): AcceptedSms {
  const form = new URLSearchParams(body.toString('utf8'));
  const [from = '', to = '', text = ''] = ['from', 'to', 'message'].map((key) => {
    const value = form.get(key);
    if (!value) throw new RefusedForm(403, `Missing key ${key}`);
    return value;
  });
  if (!/^\+[1-9]\d{6,14}$/.test(to)) throw new RefusedForm(400, 'Invalid phone number in key to');
  if (!/^\+[1-9]\d{6,14}$/.test(from) && !/^[a-z][a-z0-9 ]{1,9}[a-z0-9]$/i.test(from)) {
    throw new RefusedForm(400, 'Invalid sender in key from');
  }
  const reportUrl = form.get('whendelivered');
  if (reportUrl && !URL.canParse(reportUrl)) throw new RefusedForm(400, 'Invalid URL in key whendelivered');
  return {
    id: `s${nextDigest().toString('hex').slice(0, 32)}`,
    from,
    to,
    text,
    segments: countSegments(text),
    reportUrls: reportUrl ? [reportUrl] : [],
  };
}

/** The gateway's reply to a message that it accepted. */
export function createdReply(sms: AcceptedSms, status: string, created: string): object {
  return {
    status,
    direction: 'outgoing',
    from: sms.from,
    created,
    parts: sms.segments,
    to: sms.to,
    cost: COST_PER_PART * sms.segments,
    message: sms.text,
    id: sms.id,
  };
}

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
