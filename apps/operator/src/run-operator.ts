import { CommandFactory } from 'nest-commander';
import { loadConfig, withLocalServices } from '@platform/config';
import { visibleLines } from '@platform/logging';
import { explainCommandFailure } from './output/explain-command-failure';
import { OperatorModule } from './operator.module';

/** Runs the command that `process.argv` names. A failure is printed on standard error and sets the exit code. */
export async function runOperator(): Promise<void> {
  try {
    await CommandFactory.run(OperatorModule.with(loadConfig(withLocalServices())), {
      cliName: 'operator',
      logger: false,
      abortOnError: false,
      serviceErrorHandler: fail,
    });
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  process.stderr.write(`${visibleLines(explainCommandFailure(error))}\n`);
  process.exitCode = 1;
}
