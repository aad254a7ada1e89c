import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Customer } from '@domains/customers';
import { AuditService } from '@platform/audit';
import { ServiceError } from '@platform/errors';
import { announceTokenChange } from '@platform/tokens';
import { migrations } from '../migrations';
import { countRows, type ErasedRows, erasureObstacles, eraseTable, isInTheBooks } from './customer-erasure';
import { type ExportedRows, exportTable } from './customer-export';
import { type CustomerTable, customerTables } from './customer-tables';

/** All that the service has of one customer: hands it out, and erases it. */
@Injectable()
export class CustomerDataOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /**
   * All rows of a customer, table by table, each in portions. Without secrets; with the operator's own notes, and with drafts
   * of invoices: look at it before you hand it over. The audit log says who took it. @throws ServiceError not_found
   */
  async *export(actor: string, customerId: string): AsyncGenerator<ExportedRows> {
    await this.dataSource.transaction(async (manager) => {
      await this.find(manager, customerId);
      await this.audit.record(manager, { customerId, actor, action: 'customer.export' });
    });
    for (const table of tablesInOrder()) yield* exportTable(this.dataSource, table, customerId);
  }

  /**
   * Erases the personal data of a deactivated customer; rows that accounting law asks for stay. It can be run again: an erasure
   * that was interrupted goes on. There is no way back. @param dryRun only counts
   * @throws ServiceError not_found; invalid_request while the customer is active, or something is unsettled
   */
  async erase(actor: string, customerId: string, { dryRun }: { dryRun: boolean }): Promise<ErasedRows[]> {
    await this.dataSource.transaction(async (manager) => {
      const customer = await this.lock(manager, customerId);
      if (customer.erasedAt) return;
      await this.refuseUnsettled(manager, customer);
      if (!dryRun) await this.mark(manager, customer, actor);
    });
    const erased: ErasedRows[] = [];
    // From what refers to others to what others refer to.
    for (const table of tablesInOrder().reverse())
      erased.push(await (dryRun ? countRows : eraseTable)(this.dataSource, table, customerId));
    return erased.reverse().map((one) => (one.table === 'customer' ? { ...one, done: 'blanked' } : one));
  }

  private async refuseUnsettled(manager: EntityManager, { id, active }: Customer): Promise<void> {
    if (active) throw new ServiceError('invalid_request', 'The customer is active: deactivate it first');
    const obstacles = await erasureObstacles(manager, id);
    if (obstacles.length > 0) throw new ServiceError('invalid_request', `The customer has ${obstacles.join('; ')}`);
  }

  /** From now on nothing can be done with the customer any more but to erase the rest. */
  private async mark(manager: EntityManager, { id, customerNumber, organizationNumber }: Customer, actor: string) {
    const kept = (await isInTheBooks(manager, id)) ? organizationNumber : '';
    const blank = { name: `Erased customer ${customerNumber}`, email: '', organizationNumber: kept };
    const now = () => 'app.now()';
    await manager.update(Customer, { id }, { ...blank, erasedAt: now, updatedAt: now });
    await announceTokenChange(manager, id);
    await this.audit.record(manager, { customerId: id, actor, action: 'customer.erase' });
  }

  private async lock(manager: EntityManager, id: string): Promise<Customer> {
    await manager.query('select from customer where id = $1 for no key update', [id]);
    return this.find(manager, id);
  }

  private async find(manager: EntityManager, id: string): Promise<Customer> {
    const customer = await manager.findOneBy(Customer, { id });
    if (!customer) throw new ServiceError('not_found', `There is no customer ${id}`);
    return customer;
  }
}

/** The customer's tables in the order in which they are made: each after those that it refers to. */
function tablesInOrder(): CustomerTable[] {
  const order = migrations.flatMap((Migration) => new Migration().tables);
  return [...customerTables].sort((a, b) => order.indexOf(a.table) - order.indexOf(b.table));
}
