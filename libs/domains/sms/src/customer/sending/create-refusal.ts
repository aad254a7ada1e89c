import { ServiceError } from '@platform/errors';

/** What the database made of a message that was to be sent. */
export interface Created {
  outcome: 'created' | 'disabled' | 'country' | 'capped' | 'parts_capped';
  sender_id: string;
  cap: number;
  seconds_left: number;
  created_at: string;
  countries: string[];
}

/** What the customer is told of a message that may not be sent. */
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

/** A recipient that nothing is sent to, with the reason. */
export function refusedRecipient(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '/to', detail }] });
}

function capReached({ seconds_left: retryAfterSeconds }: Created, detail: string): ServiceError {
  return new ServiceError('rate_limited', detail, { retryAfterSeconds });
}
