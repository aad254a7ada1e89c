import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, decoders, EntityReadsService, type ReadStatement } from '@platform/database';
import { AiModelPrice } from '../entities/ai-model-price.entity';
import { AiSettings } from '../entities/ai-settings.entity';
import { ProviderKeysService } from '../provider-keys/provider-keys.service';

/** PostgreSQL writes bytes as hexadecimal digits after this. */
const HEX_PREFIX = '\\x';

/** The model that the operator has fixed for a customer, and the key it is used with. */
export interface AiModel {
  model: string;
  /** The customer's own provider key, encrypted; null: the service-wide one. */
  keyCiphertext: Buffer | null;
}

/** The customer's AI model. */
@Injectable()
export class AiModelsService {
  private readonly statement: ReadStatement<AiModel>;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly keys: ProviderKeysService,
    reads: EntityReadsService,
  ) {
    const s = reads.table(AiSettings, 's');
    const p = reads.table(AiModelPrice, 'p');
    const text = `
      select ${s.column('model')}, ${s.column('keyCiphertext')} from ${s.from}
      where ${s.column('customerId')} = $1 and ${s.column('enabled')}
        and exists (select from ${p.from} where ${p.column('model')} = ${s.column('model')} and ${p.column('validFrom')} <= app.now())`;
    this.statement = reads.statement<AiModel>('ai.model', text, {
      model: decoders.text,
      keyCiphertext: (hex) => Buffer.from(hex.slice(HEX_PREFIX.length), 'hex'),
    });
  }

  /** The model; undefined if the customer may not use AI, or the operator has not configured it or no key for it. */
  async find(): Promise<AiModel | undefined> {
    const [found] = await this.database.read(this.statement);
    // Nothing is sent to the provider without a key, as the ledger reserves nothing then.
    return found?.keyCiphertext || this.keys.hasShared ? found : undefined;
  }
}
