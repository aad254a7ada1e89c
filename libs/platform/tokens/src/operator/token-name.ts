import { ServiceError } from '@platform/errors';

const LONGEST = 80;

/** A token's name without blanks around it. @throws ServiceError invalid_request if it is empty, too long or has control characters */
export function tokenName(given: string): string {
  const name = given.trim();
  if (name === '' || name.length > LONGEST || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new ServiceError('invalid_request', `A token's name is a line of 1 to ${LONGEST} characters`);
  }
  return name;
}
