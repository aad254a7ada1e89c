import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditService } from '@platform/audit';
import type { AppConfig } from '@platform/config';
import { clientSettings, databaseNow, DeadlineClient } from '@platform/database';
import { SecretBox } from '@platform/secrets';
import { WebhookEndpoint } from '../entities/webhook-endpoint.entity';
import { WebhookSecretsService } from '../webhook-secrets/webhook-secrets.service';

/** An endpoint's secret after a re-encryption. */
export interface SecretReencryption {
  customer_id: string;
  endpoint_id: string;
  /**
   * `unreadable`: encrypted under a key that is neither SECRETS_KEY nor FORMER_SECRETS_KEY. It must be rotated. `former_unreadable`:
   * only a former one is, which then signs nothing for the rest of its day.
   */
  result: 'reencrypted' | 'up_to_date' | 'unreadable' | 'former_unreadable';
}

/** Encrypts the secrets of webhook endpoints anew after a change of SECRETS_KEY. */
@Injectable()
export class WebhookSecretsOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: WebhookSecretsService,
    private readonly audit: AuditService,
  ) {}

  /** All endpoints, each in a transaction: it can be broken off and run again. */
  async reencrypt(actor: string): Promise<SecretReencryption[]> {
    const found = await this.dataSource
      .getRepository(WebhookEndpoint)
      .find({ select: { customerId: true, id: true }, order: { customerId: 'asc', id: 'asc' } });
    const results: SecretReencryption[] = [];
    for (const { customerId, id } of found) {
      results.push({
        customer_id: customerId,
        endpoint_id: id,
        result: await this.reencryptOne(actor, customerId, id),
      });
    }
    return results;
  }

  private reencryptOne(actor: string, customerId: string, id: string): Promise<SecretReencryption['result']> {
    return this.dataSource.transaction(async (manager) => {
      // Locked, so that a secret that is rotated meanwhile is not overwritten.
      const lock = { mode: 'pessimistic_write' } as const;
      const endpoint = await manager.findOne(WebhookEndpoint, { where: { customerId, id }, lock });
      if (!endpoint) return 'up_to_date';
      const { secretCiphertext, formerSecrets, formerSecretsUntil } = endpoint;
      if (!this.secrets.canOpen(endpoint, secretCiphertext)) return 'unreadable';
      const now = await databaseNow(manager);
      const secret = this.secrets.renew(endpoint, secretCiphertext);
      const former = formerSecrets
        .map((sealed, at) => ({ sealed, until: formerSecretsUntil[at] ?? now }))
        .filter(({ until }) => until > now)
        .map(({ sealed, until }) => {
          const isReadable = this.secrets.canOpen(endpoint, sealed);
          return { sealed, until, isReadable, renewed: isReadable ? this.secrets.renew(endpoint, sealed) : undefined };
        });
      const isRenewed = secret !== undefined || former.some(({ renewed }) => renewed !== undefined);
      if (isRenewed || former.length < formerSecrets.length) {
        const change = {
          secretCiphertext: secret ?? secretCiphertext,
          formerSecrets: former.map(({ sealed, renewed }) => renewed ?? sealed),
          formerSecretsUntil: former.map(({ until }) => until),
        };
        await manager.update(WebhookEndpoint, { customerId, id }, change);
      }
      if (!isRenewed) return former.every(({ isReadable }) => isReadable) ? 'up_to_date' : 'former_unreadable';
      const metadata = { endpoint_id: id };
      await this.audit.record(manager, { customerId, actor, action: 'secrets.reencrypt', metadata });
      return 'reencrypted';
    });
  }
}

/** Numbers of endpoints' secrets. */
export interface SecretCount {
  stored: number;
  /** Those that open under neither SECRETS_KEY nor FORMER_SECRETS_KEY. */
  unreadable: number;
}

/** Tells whether SECRETS_KEY fits the data, without an application, on a connection of its own. @throws the driver's error */
export async function countUnreadableWebhookSecrets(config: AppConfig): Promise<SecretCount> {
  const secrets = new WebhookSecretsService(new SecretBox(config), config);
  const client = new DeadlineClient(clientSettings(config, 'account_operator'));
  await client.connect();
  try {
    const { rows } = await client.query<{ customerId: string; id: string; sealed: Buffer }>(
      `select customer_id as "customerId", id, secret_ciphertext as sealed from webhook_endpoint`,
    );
    return { stored: rows.length, unreadable: rows.filter((row) => !secrets.canOpen(row, row.sealed)).length };
  } finally {
    await client.end();
  }
}
