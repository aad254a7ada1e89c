import { type FastifyReply } from 'fastify';
import { DirectiveError, type Directives } from '../faults/directives';
import { type OutgoingReport, type ReportAttempt, type ReportCourier } from './report-courier';
import { UpstreamControl } from '../faults/upstream-control';

/** Directives of both SMS gateways about delivery reports. */
export const REPORT_DIRECTIVES = [
  'reports',
  'reports-early',
  'reports-delay',
  'report-id',
  'report-time',
  'report-as',
  'sent',
] as const;

/** What a delivery report says instead of the truth. */
export interface ReportDistortion {
  /** Its id of the message. */
  id?: string;
  /** Its time of delivery. */
  time?: string;
  /** The form of its body: the other gateway's. */
  as?: 'form' | 'json';
}

/** A message that a gateway took on. */
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
  /** How they are distorted. */
  distortion?: ReportDistortion;
}

/** How a gateway speaks of what became of a message. */
export interface ReportFormat<Status> {
  /** The reports of a message whose fate nobody scripted, in order. */
  usual: readonly Status[];
  /** A status as written in a directive. */
  parse: (word: string) => Status | undefined;
  write: (sms: AcceptedSms, status: Status) => OutgoingReport[];
}

/** An SMS gateway under a test's control. */
export class SmsControl<Status> extends UpstreamControl {
  /** Messages taken on, oldest first: what would have reached a phone. */
  readonly accepted: AcceptedSms[] = [];
  /** What is reported of a message that says nothing about it; a test may change it. */
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

  /** Every attempt to hand over a delivery report, of both gateways, oldest first. */
  get reports(): readonly ReportAttempt[] {
    return this.courier.attempts;
  }

  /** Reports on a message now, however often and in whatever order; resolves when the receiver took it or all attempts failed. */
  report(sms: AcceptedSms, ...statuses: Status[]): Promise<void> {
    return this.courier.deliver(statuses.flatMap((status) => this.format.write(sms, status)));
  }

  /** Resolves when all reports on messages taken on so far have been handed over or given up. */
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
   * @internal Takes a message on and sees to its reports.
   * @returns the reports that must be over before the answer is written, if they were asked for early
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
