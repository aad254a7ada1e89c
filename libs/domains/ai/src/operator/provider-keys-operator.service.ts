import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not } from 'typeorm';
import { AuditService } from '@platform/audit';
import type { AppConfig } from '@platform/config';
import { clientSettings, DeadlineClient } from '@platform/database';
import { SecretBox, SecretRedactor, SecretUnreadableError } from '@platform/secrets';
import { AiSettings } from '../entities/ai-settings.entity';
import { ProviderKeysService } from '../provider-keys/provider-keys.service';

/** A customer's provider key after a re-encryption. */
export interface KeyReencryption {
  customer_id: string;
  /** `unreadable`: encrypted under a key that is neither SECRETS_KEY nor FORMER_SECRETS_KEY. It must be set anew. */
  result: 'reencrypted' | 'up_to_date' | 'unreadable';
}

/** Encrypts the customers' provider keys anew after a change of SECRETS_KEY. */
@Injectable()
export class ProviderKeysOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly keys: ProviderKeysService,
    private readonly audit: AuditService,
  ) {}

  /** All customers with a key of their own, each in a transaction: it can be broken off and run again. */
  async reencrypt(actor: string): Promise<KeyReencryption[]> {
    const found = await this.dataSource
      .getRepository(AiSettings)
      .find({ where: { keyCiphertext: Not(IsNull()) }, select: { customerId: true }, order: { customerId: 'asc' } });
    const results: KeyReencryption[] = [];
    for (const { customerId } of found)
      results.push({ customer_id: customerId, result: await this.reencryptOne(actor, customerId) });
    return results;
  }

  private reencryptOne(actor: string, customerId: string): Promise<KeyReencryption['result']> {
    return this.dataSource.transaction(async (manager) => {
      // Locked, so that a key that is being set meanwhile is not overwritten.
      const settings = await manager.findOne(AiSettings, {
        where: { customerId },
        lock: { mode: 'pessimistic_write' },
      });
      if (!settings?.keyCiphertext) return 'up_to_date';
      try {
        const renewed = this.keys.renew(customerId, settings.keyCiphertext);
        if (!renewed) return 'up_to_date';
        await manager.update(AiSettings, { customerId }, { keyCiphertext: renewed });
      } catch (error) {
        if (error instanceof SecretUnreadableError) return 'unreadable';
        throw error;
      }
      await this.audit.record(manager, { customerId, actor, action: 'secrets.reencrypt', metadata: {} });
      return 'reencrypted';
    });
  }
}

/** Numbers of the customers' own provider keys. */
export interface KeyCount {
  stored: number;
  /** Those that open under neither SECRETS_KEY nor FORMER_SECRETS_KEY. */
  unreadable: number;
}

/** Tells whether SECRETS_KEY fits the data, without an application, on a connection of its own. @throws the driver's error */
export async function countUnreadableKeys(config: AppConfig): Promise<KeyCount> {
  const keys = new ProviderKeysService(new SecretBox(config), config, SecretRedactor.forSettings(config));
  const client = new DeadlineClient(clientSettings(config, 'account_operator'));
  await client.connect();
  try {
    const { rows } = await client.query<{ customerId: string; sealed: Buffer }>(
      `select customer_id as "customerId", key_ciphertext as sealed from ai_settings where key_ciphertext is not null`,
    );
    const unreadable = rows.filter(({ customerId, sealed }) => !keys.canOpen(customerId, sealed));
    return { stored: rows.length, unreadable: unreadable.length };
  } finally {
    await client.end();
  }
}
