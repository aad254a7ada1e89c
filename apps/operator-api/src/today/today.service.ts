import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
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
const DAY_MS = 86_400_000;
/**
 * How old figures may be, and when they are read anew. The sums of a month are over all its rows, and the days that are over hardly change.
 * So its last days are read more often. Three: sums of an hour within the first are not those of a whole day.
 */
const MONTH = { freshMs: 3_600_000, mostMs: DAY_MS };
const LAST_DAYS = { freshMs: 60_000, mostMs: 3_600_000, days: 3 };
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
export class TodayService implements OnApplicationBootstrap {
  private readonly month = new Kept(MONTH, () => this.readSeries(DAYS));
  private readonly lastDays = new Kept(LAST_DAYS, () => this.readLastDays());
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

  /** Reads the month ahead of the first person who asks. Whoever asks reads it again if this fails. */
  onApplicationBootstrap(): void {
    this.month.get().catch(() => undefined);
  }

  async read(): Promise<TodayDto> {
    // One after the other: series that are only read anew for the next person do not take the database's time from this one.
    const present = await this.present.get();
    const [month, { since, series: last }] = await Promise.all([this.month.get(), this.lastDays.get()]);
    const joined = <Row extends { day: string }>(former: Row[], latter: Row[]) => [
      ...former.filter(({ day }) => day < since),
      ...latter.filter(({ day }) => day >= since),
    ];
    const series = {
      as_of: last.as_of,
      ai: joined(month.ai, last.ai),
      sms: joined(month.sms, last.sms),
      refusals: joined(month.refusals, last.refusals),
    };
    return { ...present, series };
  }

  private async readPresent(): Promise<Omit<TodayDto, 'series'>> {
    const [requests, tickets, events, overdue, syncs, health, faults] = await Promise.all([
      this.creditRequests.waiting(),
      this.tickets.waiting(),
      this.statusEvents.present(),
      this.invoices.overdue(),
      this.syncs.failing(),
      this.creditHealth.troubles(),
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

  /** The series of the last days, and the first of those that are whole in all of them: yesterday, or the day before in another time zone. */
  private async readLastDays(): Promise<{ since: string; series: SeriesDto }> {
    const series = await this.readSeries(LAST_DAYS.days);
    return { since: timeText(new Date(Date.parse(series.as_of) - DAY_MS)).slice(0, 10), series };
  }

  private async readSeries(days: number): Promise<SeriesDto> {
    const asOf = timeText(await databaseNow(this.dataSource.manager));
    const [ai, sms, refusals] = await Promise.all([
      this.accounting.byDay(days),
      this.sms.byDay(days),
      this.refusals.byDay(days),
    ]);
    return {
      as_of: asOf,
      ai: ai.map(({ day, calls, charged }) => ({ day, calls, cost_nok: jsonAmount(charged) })),
      sms,
      refusals,
    };
  }
}
