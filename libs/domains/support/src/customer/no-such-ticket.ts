import { ServiceError } from '@platform/errors';

/** The error for a ticket that is not one of the customer's. */
export function noSuchTicket(): ServiceError {
  return new ServiceError('not_found', 'You have no ticket with this id');
}
