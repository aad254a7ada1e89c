import { userInfo } from 'node:os';
import type { AppConfig } from '@platform/config';
import { CommandError, usageError } from '../program/command-error';
import { EXIT } from '../program/exit-codes';

/** Letters and digits of any script, and what stands between them in names and addresses. */
const NAME = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} ._@+'’-]{0,63}$/u;

/**
 * Who runs a command, as the audit log has it. In development the name of the system user will do; in production a
 * person must be named, unless the command only reads. @throws CommandError
 */
export function actorOf(config: AppConfig, as: string | undefined, reads: boolean): string {
  const given = as ?? config.OPERATOR_NAME;
  if (given !== undefined) return `operator:${validName(given, as === undefined ? 'OPERATOR_NAME' : '--as')}`;
  if (config.NODE_ENV !== 'production') return `operator:${systemUser()}`;
  if (reads) return 'operator:-';
  throw new CommandError(
    EXIT.unnamed,
    'unnamed',
    'Who are you? Give your name with --as or in OPERATOR_NAME; the audit log has it. Nothing was done',
  );
}

function validName(given: string, where: string): string {
  const name = given.trim().normalize('NFC');
  if (NAME.test(name)) return name;
  throw usageError(`${where}: a name is 1 to 64 letters, digits, spaces and . _ @ + ' -`);
}

/** A container's user need not have a name. */
function systemUser(): string {
  try {
    const name = userInfo()
      .username.replaceAll(/[^\p{L}\p{M}\p{N}._@+-]/gu, '_')
      .slice(0, 64);
    if (name !== '') return name;
  } catch {
    // No entry in /etc/passwd.
  }
  return `uid-${process.getuid?.() ?? 'unknown'}`;
}
