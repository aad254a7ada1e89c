import 'reflect-metadata';
import { CommandFactory } from 'nest-commander';
import { loadConfig, loadLocalServices } from '@app/config';
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

/** With no database named, the one of the running `npm start` is meant; in production one is always named. */
function withLocalServices(): NodeJS.ProcessEnv {
  // The settings are what this decides about, so it must look before they are loaded.
  const { DATABASE_URL, NODE_ENV } = process.env;
  return DATABASE_URL || NODE_ENV === 'production' ? process.env : { ...loadLocalServices(), ...process.env };
}

function fail(error: unknown): void {
  process.stderr.write(`${explainCommandFailure(error)}\n`);
  process.exitCode = 1;
}

void main().catch(fail);
