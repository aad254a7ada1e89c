import type { FastifyReply } from 'fastify';
import { SegmentedMessage } from 'sms-segments-calculator';
import { DirectiveError, type Directives } from '../faults/directives';
import type { OutgoingReport, ReportAttempt, ReportCourier } from './report-courier';
import { UpstreamControl } from '../faults/upstream-control';

/** Directives of both SMS gateways about delivery reports. */
const REPORT_DIRECTIVES = [
  'reports',
  'reports-early',
  'reports-delay',
  'report-id',
  'report-time',
  'report-as',
  'sent',
] as const;

/** Faults in the content of a delivery report. */
interface ReportDistortion {
  /** Its id of the message. */
  id?: string;
  /** Its time of delivery. */
  time?: string;
  /** The format of its body: the other gateway's. */
  as?: 'form' | 'json';
}

/** A message that a gateway accepted. */
export interface AcceptedSms {
  /** The gateway's id. */
  id: string;
  from: string;
  to: string;
  text: string;
  segments: number;
  /** The client's own reference, if the gateway's protocol has one. */
  reference?: string;
  /** Where its delivery reports go. */
  reportUrls: string[];
  /** Faults in their content. */
  distortion?: ReportDistortion;
}

/** A gateway's format of delivery reports. */
export interface ReportFormat<Status> {
  /** The default reports of a message, in order. */
  usual: readonly Status[];
  /** Parses a status of a directive. */
  parse: (word: string) => Status | undefined;
  write: (sms: AcceptedSms, status: Status) => OutgoingReport[];
}

/** Controls an SMS gateway. */
export class SmsControl<Status> extends UpstreamControl {
  /** Accepted messages, oldest first. */
  readonly accepted: AcceptedSms[] = [];
  /** The default reports; a test can change them. */
  usualReports: readonly Status[];

  constructor(
    own: readonly string[],
    private readonly recordLimit: number,
    private readonly format: ReportFormat<Status>,
    private readonly courier: ReportCourier,
    private readonly usualDelayMs: number,
  ) {
    super([...own, ...REPORT_DIRECTIVES], recordLimit);
    this.usualReports = format.usual;
  }

  /** Every attempt to send a delivery report, of both gateways, oldest first. */
  get reports(): readonly ReportAttempt[] {
    return this.courier.attempts;
  }

  /**
   * Sends delivery reports of a message now; resolves when the receiver has accepted them or all attempts have failed.
   */
  report(sms: AcceptedSms, ...statuses: Status[]): Promise<void> {
    return this.courier.deliver(statuses.flatMap((status) => this.format.write(sms, status)));
  }

  /** Resolves when all reports of accepted messages have been sent or have failed. */
  reportsSettled(): Promise<void> {
    return this.courier.settled();
  }

  override reset(): void {
    super.reset();
    this.accepted.length = 0;
    this.usualReports = this.format.usual;
    this.courier.clear();
  }

  /**
   * @internal Accepts a message and schedules its reports. @returns the reports that must be sent before the reply, if
   * a directive asks for it
   */
  accept(sms: AcceptedSms, directives: Directives, reply: FastifyReply): Promise<void> | undefined {
    const statuses = this.statuses(directives);
    sms.distortion = distortionOf(directives);
    const delayMs = directives.number('reports-delay') ?? this.usualDelayMs;
    if (this.accepted.length === this.recordLimit) this.accepted.shift();
    if (this.recordLimit > 0) this.accepted.push(sms);
    const reports = statuses.flatMap((status) => this.format.write(sms, status));
    if (directives.has('reports-early')) return this.courier.deliver(reports);
    const answered = new Promise((resolve) => reply.raw.once('close', resolve));
    void this.courier.deliver(
      reports,
      answered.then(() => this.courier.pause(delayMs)),
    );
    return undefined;
  }

  private statuses(directives: Directives): readonly Status[] {
    const words = directives.text('reports');
    if (words === undefined) return this.usualReports;
    if (words === 'none') return [];
    return words.split(',').map((word) => {
      const status = this.format.parse(word.trim());
      if (status === undefined)
        throw new DirectiveError(`sandbox: "${word}" is not a status that this gateway reports`);
      return status;
    });
  }
}

function distortionOf(directives: Directives): ReportDistortion {
  const [id, time] = [directives.text('report-id'), directives.text('report-time')];
  const [as] = directives.list('report-as', ['form', 'json'] as const) ?? [];
  return { ...(id !== undefined && { id }), ...(time !== undefined && { time }), ...(as && { as }) };
}

/** How many SMS a text takes. */
export function countSegments(text: string): number {
  const { encodingName, segmentsCount } = new SegmentedMessage(text);
  if (encodingName === 'GSM-7') return segmentsCount;
  // The library would keep letters together with their marks; gateways only keep surrogate pairs together.
  return text.length <= 70 ? 1 : (text.match(/[^]{1,67}(?<![\ud800-\udbff])/g) ?? []).length;
}
