/** The exit codes of commands. Scripts rely on them: a code never changes its meaning. */
export const EXIT = {
  done: 0,
  /** A check found something wrong, a sync failed; or a fault of the program itself. */
  failed: 1,
  /** An unknown command or option, an option that is missing or has no valid value. */
  usage: 2,
  notFound: 3,
  /** A rule refuses it: a value that the service does not accept, or a conflict with existing data. */
  refused: 4,
  /** The database or a worker does not answer: try again. */
  unavailable: 5,
  /** Several customers have the name. */
  ambiguous: 6,
  /** The audit log needs the name of a person, and none was given. */
  unnamed: 7,
  /** The question was not answered with yes, or needs --yes. */
  unconfirmed: 8,
  /** A setting is wrong, or the database is not migrated. */
  settings: 9,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The reason why a command does nothing, for the operator. */
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

/** The words on the command line are no command, or not one that can be run. */
export function usageError(message: string): CommandError {
  return new CommandError(EXIT.usage, 'usage', message);
}
