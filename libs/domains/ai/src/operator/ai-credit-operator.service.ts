import { Injectable } from '@nestjs/common';
import { lockCustomer } from '@domains/customers';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditService } from '@platform/audit';
import { requireText, ServiceError } from '@platform/errors';
import { decimalText } from '@platform/money';
import { BillingCalendar } from '@platform/time';
import { CREDIT_NOTE_MAX } from '../ai-values';
import { AiLedgerEntry, type LedgerKind } from '../entities/ai-ledger-entry.entity';

/** A change of a customer's credit by the operator. */
export interface CreditChange {
  customerId: string;
  kind: Extract<LedgerKind, 'manual_adjustment' | 'refund' | 'invoice_topup'>;
  /** In NOK as decimal text; only an adjustment may be negative. */
  amountNok: string;
  note: string | null;
  creditRequestId?: number;
  invoiceId?: string;
}

/** Bounds of an adjustment in NOK. The ledger has twelve decimals. */
const ADJUSTMENT = { decimals: 12, least: -1e9, most: 1e9 };

/** Changes customers' AI credit for the operator: adjustments, refunds, and what was paid for. */
@Injectable()
export class AiCreditOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly calendar: BillingCalendar,
  ) {}

  /**
   * Adds an adjustment or a refund, audited. @throws ServiceError not_found; invalid_request for a note that is too long, an
   * amount that is none or too large, or if it would deduct more than the free credit
   */
  async adjust(actor: string, change: CreditChange & { note: string }): Promise<AiLedgerEntry[]> {
    const { customerId, kind, amountNok, note } = change;
    requireText(note, 'The note', { min: 1, max: CREDIT_NOTE_MAX });
    decimalText(amountNok, ADJUSTMENT);
    if (Number(amountNok) === 0 || (kind === 'refund' && Number(amountNok) < 0)) {
      throw new ServiceError('invalid_request', 'The amount must not be 0, and a refund must be more than 0');
    }
    return this.dataSource.transaction(async (manager) => {
      await lockCustomer(manager, customerId);
      const before = await this.lastSequence(manager, customerId);
      await this.applyChange(manager, actor, change);
      await this.audit.record(manager, {
        customerId,
        actor,
        action: 'ai.credit',
        metadata: { kind, amount_nok: amountNok, note },
      });
      return manager
        .createQueryBuilder(AiLedgerEntry, 'entry')
        .where('entry.customerId = :customerId and entry.sequence > :before and entry.kind = :kind', {
          customerId,
          before,
          kind,
        })
        .orderBy('entry.sequence')
        .getMany();
    });
  }

  /**
   * Adds a change within the caller's transaction. @throws ServiceError invalid_request if it would deduct more than
   * the free credit
   */
  async applyChange(manager: EntityManager, actor: string, change: CreditChange): Promise<void> {
    const { customerId, kind, amountNok, note, creditRequestId = null, invoiceId = null } = change;
    const [row] = await manager.query<{ applied: boolean }[]>(
      `select app.ai_credit($1, app.billing_month(app.now(), $2), app.now(), $3, $4, $5, $6, $7, $8) as applied`,
      [customerId, this.calendar.timeZone, kind, amountNok, note, actor, creditRequestId, invoiceId],
    );
    if (row?.applied) return;
    throw new ServiceError(
      'invalid_request',
      `The customer has less free credit than ${amountNok.replace('-', '')} NOK`,
    );
  }

  private async lastSequence(manager: EntityManager, customerId: string): Promise<string> {
    const [row] = await manager.query<{ last: string }[]>(
      'select ledger_sequence as last from ai_account where customer_id = $1',
      [customerId],
    );
    return row?.last ?? '0';
  }
}
