import './compile-cache';
import { loadConfig } from '@platform/config';
import { nouns } from './commands/nouns';
import { openApplication } from './session/open-application';

/**
 * Fills the compile cache when the image is made: loads what any command may load, and goes as far as a command gets
 * without a database.
 */
async function warm(): Promise<void> {
  await import('./session/run-command.js');
  await import('./output/report-failure.js');
  // What only customers that are added are checked with.
  await import('class-validator');
  const loaded = nouns.flatMap(({ commands }) =>
    commands.flatMap((one) => ('services' in one ? [one.services()] : [])),
  );
  const modules = (await Promise.all(loaded)).flatMap((services) => services.modules);
  // Port 9 (discard) of this machine: nobody answers.
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' });
  await openApplication(config, [...new Set(modules)]).catch(() => undefined);
}

void warm();
