import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { AuditService } from '@platform/audit';
import { ServiceError } from '@platform/errors';
import { BillingAccount } from '../entities/billing-account.entity';
import { InvoiceSyncProblem } from '../entities/invoice-sync-problem.entity';
import { InvoiceSync } from '../entities/invoice-sync.entity';
import { Invoice } from '../entities/invoice.entity';
import type { BillingSourceName } from '../invoice-record';

/** A customer's sync with a source, and what it could not read. */
export type SyncReport = InvoiceSync & { sourceCustomerId: string; problems: InvoiceSyncProblem[] };

/** Serialises links, so that two customers cannot be given one account at once. The number only has to be the project's own. */
const LINK_LOCK = 7_264_020;

/** The operator's way to who customers are in the billing sources. Every change is audited. */
@Injectable()
export class BillingAccountsOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /**
   * Says who a customer is in a source; its invoices come with the next sync.
   * @throws ServiceError not_found; invalid_request if it is linked already, or another customer has the account: one
   * customer must never see another's invoices.
   */
  async link(actor: string, customerId: string, source: BillingSourceName, givenId: string): Promise<BillingAccount> {
    const sourceCustomerId = givenId.trim();
    if (sourceCustomerId === '' || sourceCustomerId.length > 200 || /\p{Cc}/u.test(sourceCustomerId)) {
      throw new ServiceError('invalid_request', `The customer's id in ${source} is missing, or is none`);
    }
    return this.dataSource.transaction(async (manager) => {
      await manager.query('select pg_advisory_xact_lock($1)', [LINK_LOCK]);
      const [customer] = await manager.query<unknown[]>('select 1 from customer where id = $1', [customerId]);
      if (!customer) throw new ServiceError('not_found', `There is no customer ${customerId}`);
      // Whether any customer has the account: the one look-up here that names none.
      const taken = await manager.findOneBy(BillingAccount, { source, sourceCustomerId });
      if (taken)
        throw new ServiceError('invalid_request', `Customer ${taken.customerId} is ${sourceCustomerId} in ${source}`);
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

  /** Undoes a link and removes the invoices that came by it: a wrong link must leave nothing behind. @throws ServiceError not_found */
  unlink(actor: string, customerId: string, source: BillingSourceName): Promise<{ invoicesRemoved: number }> {
    return this.dataSource.transaction(async (manager) => {
      const account = await manager.findOneBy(BillingAccount, { customerId, source });
      if (!account) throw new ServiceError('not_found', `The customer is not linked to ${source}`);
      await manager.delete(BillingAccount, { customerId, source });
      const { affected } = await manager.delete(Invoice, { customerId, source });
      const invoicesRemoved = affected ?? 0;
      const metadata = { source, source_customer_id: account.sourceCustomerId, invoices_removed: invoicesRemoved };
      await this.audit.record(manager, { customerId, actor, action: 'invoice.unlink', metadata });
      return { invoicesRemoved };
    });
  }

  /** How the syncs of a customer, or of all, stand; `failing`: of those only whose last run failed. */
  async report(customerId?: string, failing = false): Promise<SyncReport[]> {
    const where = customerId === undefined ? {} : { customerId };
    const { manager } = this.dataSource;
    const [syncs, accounts, problems] = await Promise.all([
      manager.find(InvoiceSync, {
        where: { ...where, ...(failing && { failures: MoreThan(0) }) },
        order: { customerId: 'ASC', source: 'ASC' },
      }),
      manager.find(BillingAccount, { where }),
      manager.find(InvoiceSyncProblem, { where, order: { seenAt: 'DESC' } }),
    ]);
    const key = (row: { customerId: string; source: string }) => `${row.customerId} ${row.source}`;
    const idOf = new Map(accounts.map((account) => [key(account), account.sourceCustomerId]));
    const problemsOf = Map.groupBy(problems, key);
    return syncs.map((sync) =>
      Object.assign(sync, { sourceCustomerId: idOf.get(key(sync)) ?? '', problems: problemsOf.get(key(sync)) ?? [] }),
    );
  }
}
