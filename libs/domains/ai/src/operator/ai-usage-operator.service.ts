import { Injectable } from '@nestjs/common';
import { requireCustomer } from '@domains/customers';
import { DataSource } from 'typeorm';
import { CustomerContextService } from '@platform/context';
import { Listing, type ListingRequest } from '@platform/pagination';
import { AiLedgerEntriesService, type LedgerEntry, type LedgerFilter } from '../usage/ai-ledger-entries.service';
import { AiReceiptsService, type Receipt, type ReceiptFilter } from '../usage/ai-receipts.service';

/** A customer's charged calls and ledger for the operator: the same lists that the customer reads. */
@Injectable()
export class AiUsageOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly context: CustomerContextService,
    private readonly receipts: AiReceiptsService,
    private readonly entries: AiLedgerEntriesService,
  ) {}

  /** Charged calls, newest first, behind the one with an id. @throws ServiceError not_found */
  usage(customerId: string, filter: ReceiptFilter, { limit, after }: ListingRequest): Promise<Listing<Receipt>> {
    return this.as(customerId, async () =>
      Listing.fromRows(await this.receipts.after(filter, limit + 1, after), limit, ({ id }) => id),
    );
  }

  /** All of them, in portions. @throws ServiceError not_found */
  allUsage(customerId: string, filter: ReceiptFilter): Promise<AsyncGenerator<Receipt[]>> {
    return this.as(customerId, () => this.receipts.all(filter));
  }

  /** Ledger entries, the latest first, behind the one with a sequence number. @throws ServiceError not_found */
  ledger(customerId: string, filter: LedgerFilter, { limit, after }: ListingRequest): Promise<Listing<LedgerEntry>> {
    return this.as(customerId, async () =>
      Listing.fromRows(await this.entries.after(filter, limit + 1, after), limit, ({ sequence }) => sequence),
    );
  }

  /** All of them, in portions. @throws ServiceError not_found */
  allLedger(customerId: string, filter: LedgerFilter): Promise<AsyncGenerator<LedgerEntry[]>> {
    return this.as(customerId, () => this.entries.all(filter));
  }

  private async as<T>(customerId: string, work: () => T | Promise<T>): Promise<T> {
    await requireCustomer(this.dataSource.manager, customerId);
    return this.context.run(customerId, work);
  }
}
