import { ServiceError } from '@platform/errors';

/** The database's answer to a new message. */
export interface Created {
  outcome: 'created' | 'disabled' | 'country' | 'capped' | 'parts_capped';
  id: string;
  sender_id: string;
  cap: number;
  seconds_left: number;
  created_at: string;
  countries: string[];
}

/** The error for a message that may not be sent. */
export function refusalOf(created: Created | undefined, segments: number): ServiceError {
  switch (created?.outcome) {
    case 'capped':
      return capReached(created, `The daily cap of ${created.cap} SMS is reached`);
    case 'parts_capped':
      return capReached(
        created,
        `The daily cap of ${created.cap} SMS parts leaves no room for this message of ${segments}`,
      );
    case 'country':
      return refusedRecipient(
        `to is a number of a country that you may not send SMS to; you may to ${created.countries.join(', ')}`,
      );
    default:
      return new ServiceError('sms_disabled', 'The operator has not enabled SMS for this customer');
  }
}

/** The error for a recipient that may not be sent to. */
export function refusedRecipient(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '/to', detail }] });
}

function capReached({ seconds_left: retryAfterSeconds }: Created, detail: string): ServiceError {
  return new ServiceError('rate_limited', detail, { retryAfterSeconds });
}
