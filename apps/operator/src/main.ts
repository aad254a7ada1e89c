import 'reflect-metadata';
import { CommandFactory } from 'nest-commander';
import { loadConfig, withLocalServices } from '@app/config';
import { explainCommandFailure } from './output/explain-command-failure';
import { OperatorModule } from './operator.module';

async function main(): Promise<void> {
  const config = loadConfig(withLocalServices());
  await CommandFactory.run(OperatorModule.with(config), {
    cliName: 'operator',
    logger: false,
    abortOnError: false,
    serviceErrorHandler: fail,
  });
}

function fail(error: unknown): void {
  process.stderr.write(`${explainCommandFailure(error)}\n`);
  process.exitCode = 1;
}

void main().catch(fail);
