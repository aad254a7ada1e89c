import { Injectable } from '@nestjs/common';
import { lockCustomer } from '@domains/customers';
import { DataSource } from 'typeorm';
import { AuditService } from '@platform/audit';
import { ServiceError } from '@platform/errors';
import { BillingAccount } from '../entities/billing-account.entity';
import { InvoiceSync } from '../entities/invoice-sync.entity';
import { forgetInvoiceEvents } from '../invoice-events';
import type { BillingSourceName } from '../invoice-values';

/**
 * Serialises links, so that two customers cannot be linked to one account at once. The number only has to be unique
 * within this project.
 */
const LINK_LOCK = 7_264_020;

/** Manages customers' links to billing sources for the operator. Every change is audited. */
@Injectable()
export class BillingAccountsOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /**
   * Links a customer to an account of a source. The next sync fetches its invoices.
   * @throws ServiceError not_found; invalid_request if the customer is linked already, or another customer has the
   * account: one customer must never see another's invoices
   */
  async link(actor: string, customerId: string, source: BillingSourceName, givenId: string): Promise<BillingAccount> {
    const sourceCustomerId = givenId.trim();
    if (sourceCustomerId === '' || sourceCustomerId.length > 200 || /\p{Cc}/u.test(sourceCustomerId)) {
      throw new ServiceError('invalid_request', `The customer's id in ${source} is missing or invalid`);
    }
    return this.dataSource.transaction(async (manager) => {
      await lockCustomer(manager, customerId);
      await manager.query('select pg_advisory_xact_lock($1)', [LINK_LOCK]);
      // Whether any customer has the account: the only query here that names no customer.
      const taken = await manager.findOneBy(BillingAccount, { source, sourceCustomerId });
      if (taken)
        throw new ServiceError(
          'invalid_request',
          `Customer ${taken.customerId} is linked to ${sourceCustomerId} in ${source} already`,
        );
      if (await manager.findOneBy(BillingAccount, { customerId, source })) {
        throw new ServiceError('invalid_request', `The customer is linked to ${source} already: unlink it first`);
      }
      await manager.insert(BillingAccount, { customerId, source, sourceCustomerId });
      await manager.insert(InvoiceSync, { customerId, source });
      const metadata = { source, source_customer_id: sourceCustomerId };
      await this.audit.record(manager, { customerId, actor, action: 'invoice.link', metadata });
      return manager.findOneByOrFail(BillingAccount, { customerId, source });
    });
  }

  /**
   * Removes a link and the invoices that were synced through it, also from the customer's events, so that a wrong link leaves
   * nothing behind. @throws ServiceError not_found
   */
  unlink(actor: string, customerId: string, source: BillingSourceName): Promise<{ invoicesRemoved: number }> {
    return this.dataSource.transaction(async (manager) => {
      const account = await manager.findOneBy(BillingAccount, { customerId, source });
      if (!account) throw new ServiceError('not_found', `The customer is not linked to ${source}`);
      // First, as a sync that stores documents does: it changes the account behind them.
      await manager.query('select from invoice_sync where customer_id = $1 and source = $2 for update', [
        customerId,
        source,
      ]);
      await manager.delete(BillingAccount, { customerId, source });
      const [removed] = await manager.query<[{ id: string }[], number]>(
        'delete from invoice where customer_id = $1 and source = $2 returning id',
        [customerId, source],
      );
      const ids = removed.map(({ id }) => id);
      await forgetInvoiceEvents(manager, customerId, ids);
      const invoicesRemoved = ids.length;
      const metadata = { source, source_customer_id: account.sourceCustomerId, invoices_removed: invoicesRemoved };
      await this.audit.record(manager, { customerId, actor, action: 'invoice.unlink', metadata });
      return { invoicesRemoved };
    });
  }
}
