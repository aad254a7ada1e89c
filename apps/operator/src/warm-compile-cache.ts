import './compile-cache';
import { loadConfig } from '@platform/config';
import { nouns } from './commands/nouns';

/**
 * Fills the compile cache when the image is built: loads the modules of every command, and goes as far as a command gets
 * without a database.
 */
async function warm(): Promise<void> {
  const { openApplication } = await import('./run-command.js');
  await import('./output/failure.js');
  // Only commands that add customers load it.
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
