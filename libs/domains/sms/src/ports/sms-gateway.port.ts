/** A message on its way to a gateway. */
export interface OutgoingSms {
  /** Whose message it is; not sent. */
  customerId: string;
  /** Our own reference; the gateway hands it back with every delivery report. */
  reference: string;
  /** E.164. */
  to: string;
  senderId: string;
  message: string;
}

/**
 * What a gateway made of a message. `refused` and `unreachable` are certain: no message was sent. `unknown` means that
 * one may have been: it must never be sent again.
 */
export type SendOutcome =
  | { kind: 'taken'; status: 'accepted' | 'sent'; gatewayMessageId: string | null }
  | { kind: 'refused' | 'unreachable' | 'unknown'; errorCode: SmsErrorCode };

/** Why a message failed, or why its outcome is unknown. A code never changes its meaning. */
export type SmsErrorCode =
  | 'invalid_recipient'
  | 'invalid_sender'
  | 'invalid_content'
  | 'rejected'
  | 'gateway_refused_account'
  | 'gateway_not_configured'
  | 'gateway_busy'
  | 'gateway_unreachable'
  | 'gateway_down'
  | 'gateway_timeout'
  | 'gateway_error'
  | 'recipient_unavailable'
  | 'recipient_blocked'
  | 'expired'
  | 'not_delivered';

/** What a delivery report says, in our terms. */
export interface DeliveryReport {
  /** The reference that went out with the message. */
  reference: string;
  gatewayMessageId: string | null;
  /** `unknown`: the gateway does not know either. */
  status: 'unknown' | 'sent' | 'delivered' | 'failed';
  errorCode: SmsErrorCode | null;
  /** Null also when the gateway does not say when. */
  deliveredAt: Date | null;
}

/** A gateway that puts SMS on the air. */
export abstract class SmsGateway {
  /** Kept with each message. */
  abstract readonly name: string;

  /** Why the gateway cannot carry this text, for the customer; nothing if it can. */
  abstract unsupported(message: string): string | undefined;

  /** Hands a message over, once. Never throws: whatever goes wrong is an outcome. */
  abstract send(sms: OutgoingSms): Promise<SendOutcome>;
}
