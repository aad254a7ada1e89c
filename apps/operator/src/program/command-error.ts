import { EXIT, type ExitCode } from './exit-codes';

/** Why a command does nothing, for the operator. */
export class CommandError extends Error {
  constructor(
    readonly exitCode: ExitCode,
    /** For scripts, such as `usage`. */
    readonly code: string,
    message: string,
    /** More for scripts, such as candidates. */
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** What was typed is no command, or not one that can be run. */
export function usageError(message: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', message);
}
