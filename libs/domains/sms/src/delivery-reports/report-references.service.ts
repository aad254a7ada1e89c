import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';

/** The message of a delivery report. */
export interface ReportedSms {
  customerId: string;
  smsId: string;
}

const ID_BYTES = 16;
const SIGNATURE_BYTES = 16;

/**
 * References of messages that gateways return with delivery reports: customer, message and our signature. Only the
 * gateway receives the reference, so a report with a valid one comes from the gateway.
 */
@Injectable()
export class ReportReferencesService {
  /** The present key, which signs, and the former one. */
  private readonly keys: [Buffer, ...Buffer[]];

  constructor({ SECRETS_KEY, FORMER_SECRETS_KEY }: AppConfig) {
    // Without a key (never in production) reports are accepted until the process ends.
    const present = SECRETS_KEY === undefined ? randomBytes(32) : Buffer.from(SECRETS_KEY, 'base64');
    const former = FORMER_SECRETS_KEY === undefined ? [] : [Buffer.from(FORMER_SECRETS_KEY, 'base64')];
    this.keys = [signingKey(present), ...former.map(signingKey)];
  }

  /** The reference of a message: 64 characters that are safe in a URL. */
  referenceOf(customerId: string, smsId: string): string {
    const ids = Buffer.concat([uuidBytes(customerId), uuidBytes(smsId)]);
    return Buffer.concat([ids, sign(ids, this.keys[0])]).toString('base64url');
  }

  /** The message of a reference, or undefined if the reference is not one of ours. */
  read(reference: string): ReportedSms | undefined {
    const bytes = Buffer.from(reference, 'base64url');
    if (bytes.length !== 2 * ID_BYTES + SIGNATURE_BYTES || bytes.toString('base64url') !== reference) return undefined;
    const ids = bytes.subarray(0, 2 * ID_BYTES);
    const signature = bytes.subarray(2 * ID_BYTES);
    if (!this.keys.some((key) => timingSafeEqual(signature, sign(ids, key)))) return undefined;
    return { customerId: uuidText(ids.subarray(0, ID_BYTES)), smsId: uuidText(ids.subarray(ID_BYTES)) };
  }
}

function signingKey(secret: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'sms delivery report references', 32));
}

function sign(ids: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(ids).digest().subarray(0, SIGNATURE_BYTES);
}

function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
