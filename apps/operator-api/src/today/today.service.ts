import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AiAccountingOperatorService, CreditHealthService } from '@domains/ai';
import { CreditRequestsOperatorService } from '@domains/credit-requests';
import { InvoicesOperatorService, SyncHealthService } from '@domains/invoices';
import { SmsOperatorService } from '@domains/sms';
import { StatusEventsOperatorService } from '@domains/status';
import { TicketsOperatorService } from '@domains/support';
import { databaseNow } from '@platform/database';
import { jsonAmount } from '@platform/money';
import { RefusalsOperatorService } from '@platform/refusals';
import { timeText } from '@platform/time';
import type { SeriesDto, TodayDto, UpstreamStateDto } from './today.dto';

const DAYS = 30;
/** How old figures may be, and when they are read anew. Series are sums over all rows of a month. */
const SERIES = { freshMs: 60_000, mostMs: 300_000 };
const PRESENT = { freshMs: 2000, mostMs: 4000 };

/** Keeps an answer for a while. An old one is given once more, while the next is being read; callers share a reading. */
class Kept<Answer> {
  private answer?: Promise<Answer>;
  private next?: Promise<Answer>;
  private readAt = -Infinity;

  constructor(
    private readonly age: { freshMs: number; mostMs: number },
    private readonly ask: () => Promise<Answer>,
  ) {}

  get(): Promise<Answer> {
    const age = performance.now() - this.readAt;
    if (this.answer && age < this.age.freshMs) return this.answer;
    const next = this.read();
    return this.answer && age < this.age.mostMs ? this.answer : next;
  }

  private read(): Promise<Answer> {
    if (this.next) return this.next;
    const begun = performance.now();
    const next = this.ask();
    this.next = next;
    next
      .then(() => {
        this.answer = next;
        this.readAt = begun;
      })
      // A failure is not kept: whoever waits for it gets it.
      .catch(() => undefined)
      .finally(() => (this.next = undefined));
    return next;
  }
}

/** What waits for somebody, and how the service is used: figures of all domains. */
@Injectable()
export class TodayService {
  private readonly series = new Kept(SERIES, () => this.readSeries());
  private readonly present = new Kept(PRESENT, () => this.readPresent());

  constructor(
    private readonly dataSource: DataSource,
    private readonly accounting: AiAccountingOperatorService,
    private readonly creditHealth: CreditHealthService,
    private readonly creditRequests: CreditRequestsOperatorService,
    private readonly invoices: InvoicesOperatorService,
    private readonly refusals: RefusalsOperatorService,
    private readonly sms: SmsOperatorService,
    private readonly statusEvents: StatusEventsOperatorService,
    private readonly syncs: SyncHealthService,
    private readonly tickets: TicketsOperatorService,
  ) {}

  async read(): Promise<TodayDto> {
    const [present, series] = await Promise.all([this.present.get(), this.series.get()]);
    return { ...present, series };
  }

  private async readPresent(): Promise<Omit<TodayDto, 'series'>> {
    const [requests, tickets, events, overdue, syncs, health, faults] = await Promise.all([
      this.creditRequests.waiting(),
      this.tickets.waiting(),
      this.statusEvents.present(),
      this.invoices.overdue(),
      this.syncs.bySource(),
      this.creditHealth.read(),
      this.refusals.upstreamFaults(),
    ]);
    const upstream = (name: string, codes: RegExp): UpstreamStateDto => {
      const own = faults.filter(({ code }) => codes.test(code));
      const failures = own.reduce((sum, { requests: count }) => sum + count, 0);
      const [last] = own.map(({ lastAt }) => new Date(lastAt)).sort((a, b) => b.getTime() - a.getTime());
      return { name, state: failures > 0 ? 'failing' : 'ok', failures, last_failure_at: last ? timeText(last) : null };
    };
    return {
      waiting: {
        credit_requests: requests.count,
        credit_requests_nok: jsonAmount(requests.amountNok),
        unanswered_tickets: tickets.unanswered,
        status_events: events,
        urgent_tickets: tickets.urgent,
        overdue_invoices: overdue.count,
        overdue_invoices_nok: jsonAmount(overdue.amountNok),
        failing_syncs: syncs.reduce((sum, { failing }) => sum + failing, 0),
        unknown_outcomes: health.unknown_outcomes,
        ledger_problems: health.problems,
      },
      upstreams: [
        upstream('ai', /^ai_/),
        upstream('sms', /^sms_/),
        ...syncs.map(({ source, failing }) => ({
          ...{ name: source, state: failing > 0 ? 'failing' : 'ok', failures: failing, last_failure_at: null },
        })),
      ],
    };
  }

  private async readSeries(): Promise<SeriesDto> {
    const asOf = timeText(await databaseNow(this.dataSource.manager));
    const [ai, sms, refusals] = await Promise.all([
      this.accounting.byDay(DAYS),
      this.sms.byDay(DAYS),
      this.refusals.byDay(DAYS),
    ]);
    return {
      as_of: asOf,
      ai: ai.map(({ day, calls, cost }) => ({ day, calls, cost_nok: jsonAmount(cost) })),
      sms,
      refusals,
    };
  }
}
