import type { AppConfig } from '@platform/config';
import { clientSettings, DeadlineClient } from '@platform/database';
import { SecretBox, SecretUnreadableError } from '@platform/secrets';
import { keyPurpose } from './key-purpose';

/** Numbers of the customers' own provider keys. */
export interface KeyCount {
  stored: number;
  /** Those that open under neither SECRETS_KEY nor FORMER_SECRETS_KEY. */
  unreadable: number;
}

/** Tells whether SECRETS_KEY fits the data, on a connection of its own. @throws the driver's error */
export async function countUnreadableKeys(config: AppConfig): Promise<KeyCount> {
  const client = new DeadlineClient(clientSettings(config, 'account_operator'));
  await client.connect();
  try {
    const { rows } = await client.query<{ customerId: string; sealed: Buffer }>(
      `select customer_id as "customerId", key_ciphertext as sealed from ai_settings where key_ciphertext is not null`,
    );
    const box = new SecretBox(config);
    const unreadable = rows.filter(({ customerId, sealed }) => !opens(box, customerId, sealed));
    return { stored: rows.length, unreadable: unreadable.length };
  } finally {
    await client.end();
  }
}

function opens(box: SecretBox, customerId: string, sealed: Buffer): boolean {
  try {
    box.open(sealed, keyPurpose(customerId));
    return true;
  } catch (error) {
    if (error instanceof SecretUnreadableError) return false;
    throw error;
  }
}
