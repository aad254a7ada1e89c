// Joins the modules of the operator's command line, of packages too, in one file that takes the place of
// dist/apps/operator/src/run-operator.js: finding and opening a thousand files is most of a command's time. For the image:
// docs/decisions/command-line.md. Not for a folder that one works in: the compiler would not write the file again.
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { build } from 'esbuild';

const entry = resolve('dist/apps/operator/src/run-operator.js');
const folder = dirname(entry);

/** A file of ours finds those beside it, such as package.json, from where the bundle is. */
const folders = {
  name: 'folders',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(resolve('dist'))) return undefined;
      const from = JSON.stringify(relative(folder, dirname(path)));
      const here = `require('node:path').join(__dirname, ${from})`;
      return { contents: (await readFile(path, 'utf8')).replaceAll(/\b__dirname\b/g, here), loader: 'js' };
    }),
};

/** It looks for what TypeORM 0.3 had, in a second copy of TypeORM outside the bundle. */
const oneTypeorm = {
  name: 'one-typeorm',
  setup: ({ onLoad }) =>
    onLoad({ filter: /@nestjs.typeorm.*typeorm-compat\.js$/ }, () => ({
      contents: 'export const Connection = undefined, AbstractRepository = undefined;',
    })),
};

await build({
  entryPoints: [entry],
  outfile: entry,
  allowOverwrite: true,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  // Messages have the names of classes.
  keepNames: true,
  minifySyntax: true,
  minifyWhitespace: true,
  define: { 'import.meta.url': 'importMetaUrl' },
  banner: { js: `const importMetaUrl = require('node:url').pathToFileURL(__filename).href;` },
  // Parts of Nest that are not installed; it asks for them and takes no for an answer.
  external: ['@nestjs/microservices', '@nestjs/platform-express', '@nestjs/websockets'],
  plugins: [folders, oneTypeorm],
  logLevel: 'warning',
});
