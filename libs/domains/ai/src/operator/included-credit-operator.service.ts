import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ServiceError } from '@platform/errors';
import { type CustomerServiceEntity, IncludedCreditPort, setInConfig } from '@domains/services';
import { jsonAmount } from '@platform/money';
import { BillingCalendar } from '@platform/time';

const MAX_NOK = 1_000_000_000;

/**
 * The included credit per month. Its single source is `monthly_included_nok` in the config of the customer's `ai`
 * service, where the customer can read it. An increase, by any command, is added at once; a decrease applies from next
 * month.
 */
@Injectable()
export class IncludedCreditOperatorService extends IncludedCreditPort {
  constructor(private readonly calendar: BillingCalendar) {
    super();
  }

  /** Finds a customer's included credit of a month, in NOK as decimal text. */
  async find(manager: EntityManager, customerId: string): Promise<string> {
    const [row] = await manager.query<{ credit: string }[]>('select app.ai_included_credit($1)::text as credit', [
      customerId,
    ]);
    return row?.credit ?? '0';
  }

  /**
   * Sets the included credit, adding the service if there is none.
   * @throws ServiceError invalid_request if several share it, or none is active
   */
  async set(manager: EntityManager, customerId: string, nok: string): Promise<void> {
    await setInConfig(manager, customerId, { type: 'ai', name: 'AI' }, { monthly_included_nok: jsonAmount(nok) });
  }

  /**
   * Begins the present month of a customer's account, if no call and no worker has done it yet: with the included credit and the
   * limits as they are before a change.
   */
  async beginMonth(manager: EntityManager, customerId: string): Promise<void> {
    await manager.query('select app.ai_roll_over($1, app.billing_month(app.now(), $2), app.now())', [
      customerId,
      this.calendar.timeZone,
    ]);
  }

  /** Grants the difference between the month's included credit and the credit granted so far. */
  async grantRaise(manager: EntityManager, actor: string, customerId: string): Promise<void> {
    await manager.query('select app.ai_grant_difference($1, app.billing_month(app.now(), $2), app.now(), $3)', [
      customerId,
      this.calendar.timeZone,
      actor,
    ]);
  }

  assertConfig(type: string, { monthly_included_nok: credit }: Record<string, unknown>): void {
    if (type !== 'ai' || credit === undefined) return;
    if (typeof credit !== 'number' || credit < 0 || credit > MAX_NOK)
      throw new ServiceError('invalid_request', `monthly_included_nok must be a number from 0 to ${MAX_NOK}`);
  }

  async applyService(
    manager: EntityManager,
    actor: string,
    { customerId, type }: CustomerServiceEntity,
  ): Promise<void> {
    if (type === 'ai') await this.grantRaise(manager, actor, customerId);
  }
}
