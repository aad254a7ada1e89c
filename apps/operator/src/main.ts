import './compile-cache';
import { CommandError, EXIT } from './command-error';
import { wantsJson } from './options/global-options';
import { runOperator } from './run-operator';

// Who reads only the beginning, such as head, has what it wants.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  // At once: whoever waits for the output would wait for ever.
  process.exitCode = 1;
  const message = `The result cannot be written (${error.code ?? error.message}). Changes that were made are in the audit log: operator audit list`;
  void import('./output/failure.js').then(({ reportFailure }) =>
    process.exit(reportFailure(new CommandError(EXIT.failed, 'internal_error', message), wantsJson(process.argv))),
  );
});
void runOperator();
