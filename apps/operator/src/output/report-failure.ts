import { visibleJson, visibleLines } from '@platform/logging';
import type { ExitCode } from '../program/exit-codes';
import { explainFailure } from './explain-failure';

/** Prints on standard error why a command failed: a line for people, or one JSON value. @returns the exit code */
export function reportFailure(error: unknown, asJson: boolean): ExitCode {
  const { exitCode, code, message, details } = explainFailure(error);
  const text = message.trimEnd();
  const body = { error: { code, message: text, exit_code: exitCode, ...details } };
  process.stderr.write(`${asJson ? visibleJson(JSON.stringify(body)) : visibleLines(text)}\n`);
  return exitCode;
}
