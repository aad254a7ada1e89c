import { createInterface } from 'node:readline/promises';
import type { ServiceCommand } from '../commands/command';
import { CommandError } from '../program/command-error';
import { EXIT } from '../program/exit-codes';

/** Refuses a command that needs `--yes` where nobody can be asked. @throws CommandError */
export function assertYes({ needsYes, confirm }: ServiceCommand, given: Record<string, unknown>, yes: boolean): void {
  if (!needsYes || yes || process.stdin.isTTY || confirm?.(given) === undefined) return;
  throw new CommandError(EXIT.unconfirmed, 'unconfirmed', 'This cannot be undone: confirm it with --yes');
}

/** Asks at a terminal; without one nobody is asked. @throws CommandError unless the answer is yes */
export async function confirmed(question: string | undefined, yes: boolean): Promise<void> {
  if (question === undefined || yes || !process.stdin.isTTY) return;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), ended]);
  terminal.close();
  if (/^\s*y(es)?\s*$/i.test(answer)) return;
  throw new CommandError(EXIT.unconfirmed, 'unconfirmed', 'Nothing was done');
}
