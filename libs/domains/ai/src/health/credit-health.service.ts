import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UNPAID_STATES } from '../entities/ai-reservation.entity';

/** The state of all AI credit. Amounts in NOK, times in seconds. */
export interface CreditHealth {
  /** Differences that the last verification found, and the time since its end; null if none has ended yet. */
  problems: number;
  verified_age: number | null;
  /** Reservations of calls in progress, and how long the oldest has been pending; 0 if there are none. */
  pending: number;
  oldest_pending_age: number;
  reserved: number;
  /** Calls of the last day that ended with an unknown outcome. */
  unknown_outcomes: number;
  /** Accounts whose free credit is used up. */
  exhausted_accounts: number;
}

const UNKNOWN_OUTCOMES = `
    select count(*)::int as unknown_outcomes from ai_reservation
    where state in (${UNPAID_STATES.map((state) => `'${state}'`).join(', ')}) and resolved_at > app.now() - interval '1 day'`;

const TROUBLES = `select v.problems, u.unknown_outcomes from ai_verification v cross join (${UNKNOWN_OUTCOMES}) u`;

const HEALTH = `
  select v.problems, extract(epoch from now() - v.finished_at)::float8 as verified_age, r.pending,
         coalesce(extract(epoch from app.now() - r.oldest), 0)::float8 as oldest_pending_age,
         a.reserved, u.unknown_outcomes, a.exhausted_accounts
  from ai_verification v
  cross join (
    select count(*)::int as pending, min(created_at) as oldest from ai_reservation where state = 'pending') r
  cross join (${UNKNOWN_OUTCOMES}) u
  cross join (
    select coalesce(sum(reserved), 0)::float8 as reserved,
           count(*) filter (where app.ai_free_credit(
             app.ai_spendable(included, s.monthly_limit - month_included_usage, purchased),
             s.total_limit - month_usage, reserved) <= 0)::int as exhausted_accounts
    from ai_account left join ai_settings s using (customer_id)) a`;

/** Reads the state of all AI credit for the metrics and the operator. */
@Injectable()
export class CreditHealthService {
  constructor(private readonly dataSource: DataSource) {}

  /** The whole state; reads all accounts. */
  read(): Promise<CreditHealth> {
    return this.row(HEALTH);
  }

  /** What somebody must look into. */
  troubles(): Promise<Pick<CreditHealth, 'problems' | 'unknown_outcomes'>> {
    return this.row(TROUBLES);
  }

  private async row<Row>(statement: string): Promise<Row> {
    const [row] = await this.dataSource.query<Row[]>(statement);
    if (!row) throw new Error('ai_verification has no row');
    return row;
  }
}
