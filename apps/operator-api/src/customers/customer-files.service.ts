import { Injectable } from '@nestjs/common';
import { CustomerFileError, CustomerImportOperatorService, type ImportedLine } from '@domains/customers';
import { ServiceError } from '@platform/errors';

/** Imports and exports of customers, with faults as replies have them. */
@Injectable()
export class CustomerFilesService {
  constructor(private readonly imports: CustomerImportOperatorService) {}

  /** @throws ServiceError invalid_request for a text that is no file of customers */
  importCsv(actor: string, csv: string, dryRun: boolean): Promise<ImportedLine[]> {
    return this.imports.importFile(actor, csv, dryRun).catch((error: unknown) => {
      throw error instanceof CustomerFileError ? new ServiceError('invalid_request', error.message) : error;
    });
  }

  /** The parts of a text, of which the first was read: a failure before it is answered as that of any other request. */
  async begun(parts: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
    const first = await parts.next();
    return (async function* () {
      if (!first.done) yield first.value;
      yield* parts;
    })();
  }
}
