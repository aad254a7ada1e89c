/** A message to be sent through a gateway. */
export interface OutgoingSms {
  /** The customer of the message; not sent. */
  customerId: string;
  /** Our reference; the gateway returns it with every delivery report. */
  reference: string;
  /** E.164. */
  to: string;
  senderId: string;
  message: string;
}

/**
 * Outcome of sending a message. `refused` and `unreachable` are certain: no message was sent. `unknown` means that one
 * may have been sent: it must never be sent again.
 */
export type SendOutcome =
  | { kind: 'taken'; status: 'accepted' | 'sent'; gatewayMessageId: string | null }
  | {
      kind: 'refused' | 'unreachable' | 'unknown';
      errorCode: SmsErrorCode;
      /** Whether as many of the customer's other messages were on their way as its share allows. */
      shareUsed?: true;
    };

/** Why a message failed, or why its outcome is unknown. A code never changes its meaning. */
export const SMS_ERROR_CODES = [
  'invalid_recipient',
  'invalid_sender',
  'invalid_content',
  'rejected',
  'gateway_refused_account',
  'gateway_not_configured',
  'gateway_busy',
  'gateway_unreachable',
  'gateway_down',
  'gateway_timeout',
  'gateway_error',
  'not_confirmed',
  'recipient_unavailable',
  'recipient_blocked',
  'expired',
  'not_delivered',
] as const;

export type SmsErrorCode = (typeof SMS_ERROR_CODES)[number];

/** The content of a delivery report. */
export interface DeliveryReport {
  /** The reference that was sent with the message. */
  reference: string;
  gatewayMessageId: string | null;
  /** `unknown`: the gateway does not know either. */
  status: 'unknown' | 'sent' | 'delivered' | 'failed';
  errorCode: SmsErrorCode | null;
  /** Null also if the gateway does not say when. */
  deliveredAt: Date | null;
}

/** A gateway that sends SMS. */
export abstract class SmsGateway {
  /** Stored with each message. */
  abstract readonly name: string;

  /** Why the gateway cannot send this text, for the customer; undefined if it can. */
  abstract unsupported(message: string): string | undefined;

  /** Sends a message, once. Never throws: every failure is an outcome. */
  abstract send(sms: OutgoingSms): Promise<SendOutcome>;
}
