import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** All code of ours that runs; built programs and what the API's clients are generated into are not. */
const files = globSync('{apps,libs}/**/*.ts', { exclude: ['**/node_modules/**', '**/dist/**'] })
  .filter((path) => !path.endsWith('.spec.ts') && path !== 'apps/operator-console/src/client/schema.d.ts')
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** Endings that say what a file holds, and how its class is called then: `x-y.service.ts` has `XYService`. */
const CLASSES: Record<string, string> = {
  service: 'Service',
  module: 'Module',
  controller: 'Controller',
  guard: 'Guard',
  interceptor: 'Interceptor',
  filter: 'Filter',
  entity: '',
};

/** Errors stand beside the class that throws them. */
const classesOf = (text: string) =>
  [...text.matchAll(/^export (?:abstract )?class (\w+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !name.endsWith('Error'));

const endingOf = (path: string) => /\.([a-z]+)\.ts$/.exec(basename(path))?.[1] ?? '';

const pascal = (kebab: string) => kebab.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

describe('the files of apps and libs', () => {
  it('are found', () => expect(files.length).toBeGreaterThan(300));

  it.each(Object.entries(CLASSES))('named *.%s.ts export one class, named like the file', (ending, suffix) => {
    const wrong = files
      .filter(({ path }) => endingOf(path) === ending)
      .map(({ path, text }) => ({ path, classes: classesOf(text) }))
      .filter(({ path, classes }) => {
        const name = `${pascal(basename(path, `.${ending}.ts`))}${suffix}`;
        return classes.length !== 1 || ![name, `${name}Entity`].includes(classes[0] ?? '');
      });
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(CLASSES).filter(([, suffix]) => suffix))(
    'hold a Nest class of the kind %s under no other name',
    (ending, suffix) => {
      const elsewhere = files.filter(
        ({ path, text }) =>
          endingOf(path) !== ending &&
          text.includes("from '@nestjs/") &&
          classesOf(text).some((name) => name.endsWith(suffix)),
      );
      expect(elsewhere.map(({ path }) => path)).toEqual([]);
    },
  );

  it('have at most 400 lines', () => {
    const long = files.filter(({ text }) => text.split('\n').length - 1 > 400);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it("hand on others' exports only as a library's public entry", () => {
    const barrels = files.filter(
      ({ path, text }) =>
        !/^libs\/(\w+\/)?[\w-]+\/src\/index\.ts$/.test(path) &&
        /^export (\*|\{[^}]*\}|type \{[^}]*\}) from /m.test(text),
    );
    expect(barrels.map(({ path }) => path)).toEqual([]);
  });
});
