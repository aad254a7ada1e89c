import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { SecretBox, SecretRedactor, SecretUnreadableError } from '@platform/secrets';

/** Identifies an endpoint. */
export interface EndpointKey {
  /** The owner. */
  customerId: string;
  id: string;
}

/** How long deliveries are signed with a former secret as well after its rotation. */
export const SECRET_OVERLAP = '24 hours';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** The parts of a delivery that its signature covers. */
export interface SignedContent {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/** The secrets of webhook endpoints, stored encrypted, and the signatures made with them (Standard Webhooks 1.0). */
@Injectable()
export class WebhookSecretsService {
  private readonly redactor: SecretRedactor;

  constructor(
    private readonly box: SecretBox,
    config: AppConfig,
  ) {
    this.redactor = SecretRedactor.forSettings(config);
  }

  /** Generates a secret for an endpoint: the text for its owner, and the form to store. */
  generate(endpoint: EndpointKey): { secret: string; ciphertext: Buffer } {
    const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64');
    this.redactor.use(secret);
    return { secret, ciphertext: this.box.seal(secret, purposeOf(endpoint)) };
  }

  /**
   * The header `webhook-signature`: a signature for each secret. A former one that cannot be read is left out: a secret is
   * rotated for that reason, too.
   * @param present the endpoint's secret as it is stored
   * @param former those before that are valid still
   * @throws SecretUnreadableError if the present one cannot be read
   */
  sign(
    endpoint: EndpointKey,
    present: Buffer,
    former: readonly Buffer[],
    { id, timestamp, body }: SignedContent,
  ): string {
    return [present, ...former.filter((ciphertext) => this.canOpen(endpoint, ciphertext))]
      .map((ciphertext) => {
        const secret = this.box.open(ciphertext, purposeOf(endpoint));
        this.redactor.use(secret);
        const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
        return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
      })
      .join(' ');
  }

  /** The same secret under the present SECRETS_KEY; undefined if it is already. @throws SecretUnreadableError */
  renew(endpoint: EndpointKey, ciphertext: Buffer): Buffer | undefined {
    const purpose = purposeOf(endpoint);
    if (this.box.isPresent(ciphertext, purpose)) return undefined;
    return this.box.seal(this.box.open(ciphertext, purpose), purpose);
  }

  /** Whether a stored secret opens under SECRETS_KEY or FORMER_SECRETS_KEY. */
  canOpen(endpoint: EndpointKey, ciphertext: Buffer): boolean {
    try {
      this.box.open(ciphertext, purposeOf(endpoint));
      return true;
    } catch (error) {
      if (error instanceof SecretUnreadableError) return false;
      throw error;
    }
  }
}

/** The purpose that an endpoint's secret is sealed for: no other endpoint's opens in its place. */
function purposeOf({ customerId, id }: EndpointKey): string {
  return `webhook:${customerId}:${id}`;
}
