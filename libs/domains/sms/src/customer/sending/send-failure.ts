import { ServiceError } from '@platform/errors';
import type { SendOutcome } from '../../ports/sms-gateway.port';

const REFUSALS: Partial<Record<string, string>> = {
  invalid_recipient: 'The SMS gateway does not accept the recipient; nothing was sent',
  invalid_content: 'The SMS gateway does not accept the content of the message; nothing was sent',
};

/** The error for a message that was not accepted. It gives no details of problems that concern the operator. */
export function failureOf(outcome: Exclude<SendOutcome, { kind: 'taken' }>, id: string): ServiceError {
  switch (outcome.kind) {
    case 'refused':
      return new ServiceError(
        'sms_gateway_rejected',
        REFUSALS[outcome.errorCode] ?? 'The SMS gateway rejected the message; nothing was sent',
      );
    case 'unreachable':
      return new ServiceError(
        'sms_gateway_failed',
        'The SMS gateway could not be used; nothing was sent, try again later',
      );
    case 'unknown':
      return outcomeUnknown(id);
  }
}

/** The error for a message of which nobody knows whether it was sent. */
export function outcomeUnknown(id: string): ServiceError {
  return new ServiceError(
    'sms_gateway_failed',
    `The SMS gateway did not confirm message ${id}: it may have been sent. Look at the SMS log before sending it again`,
    { effect: 'unknown' },
  );
}
