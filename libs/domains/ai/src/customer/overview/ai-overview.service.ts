import { Injectable } from '@nestjs/common';
import { CustomerServiceEntity } from '@domains/services';
import { CustomerDatabaseService, decoders, EntityReadsService, type ReadStatement } from '@platform/database';
import { BillingCalendar } from '@platform/time';
import { AiAccount } from '../../entities/ai-account.entity';
import { AiSettings } from '../../entities/ai-settings.entity';
import { type PendingCreditRequest, PendingCreditRequestsPort } from '../../ports/pending-credit-requests.port';
import { overviewSql } from './overview-sql';

/** Where a customer stands with AI, as of one moment; amounts in NOK. */
export interface AiOverview {
  enabled: boolean;
  includedCreditRemaining: number;
  purchasedCredit: number;
  totalAvailableCredit: number;
  /** Reserved by calls in progress; part of the total. */
  reservedCredit: number;
  currentMonthUsage: number;
  currentMonthLimit: number;
  /** `YYYY-MM` */
  month: string;
  /** Newest first. */
  pending: PendingCreditRequest[];
}

/** The customer's AI status. */
@Injectable()
export class AiOverviewService {
  private readonly overview: ReadStatement<AiOverview>;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly calendar: BillingCalendar,
    pending: PendingCreditRequestsPort,
    reads: EntityReadsService,
  ) {
    const [settings, account] = [reads.table(AiSettings, 's'), reads.table(AiAccount, 'a')];
    const text = overviewSql(settings, account, reads.table(CustomerServiceEntity, 'v'), pending.expression.sql);
    this.overview = reads.statement<AiOverview>('ai.overview', text, {
      enabled: decoders.boolean,
      includedCreditRemaining: decoders.number,
      purchasedCredit: decoders.number,
      totalAvailableCredit: decoders.number,
      reservedCredit: decoders.number,
      currentMonthUsage: decoders.number,
      currentMonthLimit: decoders.number,
      month: decoders.text,
      pending: pending.expression.decode,
    });
  }

  /** The status and the pending credit requests. */
  async find(): Promise<AiOverview> {
    const [overview] = await this.database.read(this.overview, [this.calendar.timeZone]);
    if (!overview) throw new Error('The overview has one row');
    return overview;
  }
}
