import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In, IsNull } from 'typeorm';
import { AuditService } from '@platform/audit';
import { isUniqueViolation } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { Customer } from '../entities/customer.entity';
import { parseCustomerFile } from './customer-file';
import { type CustomerLine, insertCustomer, loadCustomerCheck, lockOrganizationNumbers } from './new-customer';

/** The outcome of a line, or of its trial. */
export interface ImportedLine {
  line: number;
  result: 'created' | 'valid' | 'refused' | 'not created';
  /** Null where the next free one is taken. */
  customerNumber: string | null;
  name: string;
  /** Why it is refused. */
  problem: string | null;
  id: string | null;
}

/** Adds many customers at once. */
@Injectable()
export class CustomerImportOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /** Adds the customers of a CSV text, see {@link import}. @throws CustomerFileError for a text that is none */
  async importFile(actor: string, text: string, dryRun: boolean): Promise<ImportedLine[]> {
    return this.import(actor, parseCustomerFile(text), dryRun);
  }

  /**
   * Adds all customers of a file in one transaction, or none: if any line is refused, and with `dryRun`. A customer number or
   * organisation number that is there already is refused, so that a file imported twice adds nothing.
   * @returns a report of every line
   */
  async import(actor: string, lines: readonly CustomerLine[], dryRun: boolean): Promise<ImportedLine[]> {
    const reportOf = (faults: (string | undefined)[], rest: ImportedLine['result']) =>
      lines.map((line, at) => report(line, faults[at] === undefined ? rest : 'refused', faults[at]));
    if (dryRun) return reportOf(await this.faults(this.dataSource.manager, lines), 'valid');
    try {
      return await this.dataSource.transaction(async (manager) => {
        await lockOrganizationNumbers(manager);
        const faults = await this.faults(manager, lines);
        if (faults.some((fault) => fault !== undefined)) return reportOf(faults, 'not created');
        const created: ImportedLine[] = [];
        const given = new Set(lines.flatMap(({ customerNumber }) => customerNumber ?? []));
        // One after the other: numbers are given in the order of the file.
        for (const { line, ...customer } of lines) {
          const { id, customerNumber, name } = await insertCustomer(manager, this.audit, actor, customer, given);
          created.push({ line, result: 'created', customerNumber, name, problem: null, id });
        }
        return created;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new ServiceError(
        'invalid_request',
        'A customer number was taken meanwhile; nothing is imported, try again',
      );
    }
  }

  private async faults(manager: EntityManager, lines: readonly CustomerLine[]): Promise<(string | undefined)[]> {
    const taken = await manager.find(Customer, {
      select: { customerNumber: true, organizationNumber: true, erasedAt: true },
      where: [
        { customerNumber: In(lines.flatMap(({ customerNumber }) => customerNumber ?? [])) },
        { organizationNumber: In(lines.map(({ organizationNumber }) => organizationNumber)), erasedAt: IsNull() },
      ],
    });
    const numbers = new Set(taken.map(({ customerNumber }) => customerNumber));
    const present = taken.filter(({ erasedAt }) => erasedAt === null);
    const organizations = new Set(present.map(({ organizationNumber }) => organizationNumber));
    const faultOf = await loadCustomerCheck();
    return lines.map((line) => {
      const { customerNumber, organizationNumber } = line;
      const fault =
        faultOf(line) ??
        (customerNumber !== undefined && numbers.has(customerNumber)
          ? `The customer number ${customerNumber} is taken`
          : undefined) ??
        (organizations.has(organizationNumber)
          ? `There is a customer with the organisation number ${organizationNumber}`
          : undefined);
      // Of two lines with the same number, the second is refused.
      if (customerNumber !== undefined) numbers.add(customerNumber);
      organizations.add(organizationNumber);
      return fault;
    });
  }
}

function report(line: CustomerLine, result: ImportedLine['result'], problem: string | undefined): ImportedLine {
  const { customerNumber = null, name } = line;
  return { line: line.line, result, customerNumber, name, problem: problem ?? null, id: null };
}
