import { loadConfig } from '@platform/config';
import type { Noun } from './commands/command';
import { buildProgram } from './build-program';
import { openApplication } from './run-command';

/** Loads the modules of every command, and goes as far as a command gets without a database. */
export async function loadCommands(nouns: readonly Noun[]): Promise<void> {
  buildProgram(
    nouns,
    '',
    () => Promise.resolve(),
    () => undefined,
  ).helpInformation();
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
