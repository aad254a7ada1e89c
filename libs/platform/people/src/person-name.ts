import { ServiceError } from '@platform/errors';

/** Letters and digits of any script, and the characters between them in names and addresses. */
const NAME = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} ._@+'’-]{0,63}$/u;

/** Characters of a name at most. */
export const PERSON_NAME_MAX = 64;

/** Whether a text can be the name of one of the operator's people, as the audit log has it. */
export function isPersonName(text: string): boolean {
  return NAME.test(text);
}

/** A name without blanks around it. @throws ServiceError invalid_request */
export function personName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (isPersonName(name)) return name;
  throw new ServiceError('invalid_request', "a name is 1 to 64 letters, digits, spaces and . _ @ + ' -");
}
