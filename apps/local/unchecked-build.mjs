import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { transform, transformFile } from '@swc/core';
import ts from 'typescript';
import { before as describeApi } from '@nestjs/swagger/plugin';

/**
 * Compiles apps and libs without checking types, in a fifth of the time of `nest build`: each file by itself, with swc, as
 * the tests do. The Swagger plugin, which describes DTOs and controllers by their types, runs over a program of our own
 * sources. docs/decisions/two-compilers.md
 */

const { compilerOptions: nest } = JSON.parse(readFileSync('nest-cli.json', 'utf8'));
const { compilerOptions: typescript } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
const { options: plugin } = nest.plugins.find(({ name }) => name === '@nestjs/swagger');

const swc = {
  configFile: false,
  swcrc: false,
  sourceMaps: true,
  jsc: {
    target: typescript.target.toLowerCase(),
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    baseUrl: process.cwd(),
    paths: typescript.paths,
  },
  module: { type: 'commonjs' },
};

/**
 * @param {string} folder where the compiled files go
 * @param {string[]} from folders of the sources
 */
export async function buildUnchecked(folder, from = ['apps', 'libs']) {
  const sources = globSync(`{${from}}/**/*.ts`, { exclude: ['**/node_modules/**'] })
    .filter((path) => !path.endsWith('.spec.ts'))
    .map((path) => resolve(path));
  const endings = [...plugin.dtoFileNameSuffix, ...plugin.controllerFileNameSuffix];
  const isDescribed = (path) => endings.some((ending) => path.endsWith(ending));
  const compile = (path) => transformFile(path, { ...swc, filename: path });
  // swc's threads compile while this one reads types.
  const others = inParallel(
    sources.filter((path) => !isDescribed(path)),
    async (path) => write(folder, path, await compile(path)),
  );
  const described = describe(folder, sources.filter(isDescribed));
  await inParallel(described, async ([path, text]) =>
    write(folder, path, await transform(text, { ...swc, filename: path })),
  );
  await others;
  for (const asset of nest.assets.flatMap((pattern) => globSync(pattern))) {
    mkdirSync(dirname(join(folder, asset)), { recursive: true });
    copyFileSync(asset, join(folder, asset));
  }
}

/** The TypeScript of DTOs and controllers with the plugin's additions, by path. */
function describe(folder, paths) {
  const options = {
    ...ts.convertCompilerOptionsFromJson(typescript, process.cwd()).options,
    // The types of packages take most of the time to read, and no DTO has a property of one.
    types: [],
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    outDir: resolve(folder),
  };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, importer) =>
    names.map(({ text }) => ({ resolvedModule: ownModule(text, importer) }));
  const program = ts.createProgram(paths, options, host);
  const visitor = describeApi(plugin, program);
  const printer = ts.createPrinter();
  return paths.map((path) => {
    const [file] = ts.transform(program.getSourceFile(path), [visitor], options).transformed;
    return [path, withResolvedCalls(printer.printFile(file), path)];
  });
}

/** A type of another library is named by a call of `require`, which swc leaves as it is. */
function withResolvedCalls(text, path) {
  return text.replace(/\brequire\("(@[^"]+)"\)/g, (call, name) => {
    const own = ownModule(name, path);
    if (!own) return call;
    const to = relative(dirname(path), own.resolvedFileName).replace(/\.ts$/, '');
    return `require(${JSON.stringify(to.startsWith('.') ? to : `./${to}`)})`;
  });
}

/** Our own file that an import names; undefined for a package. */
function ownModule(name, importer) {
  const [base] = name.startsWith('.') ? [resolve(dirname(importer), name)] : aliased(name);
  const file = base && [base, `${base}.ts`].find((path) => path.endsWith('.ts') && existsSync(path));
  return file && { resolvedFileName: file, extension: ts.Extension.Ts };
}

/** Where `paths` of tsconfig.json lead to. */
function aliased(name) {
  return Object.entries(typescript.paths)
    .map(([pattern, [target]]) => [pattern.split('*'), target])
    .filter(([[start, rest]]) => (rest === undefined ? name === start : name.startsWith(start)))
    .map(([[start], target]) => resolve(target.replace('*', name.slice(start.length))));
}

function write(folder, source, { code, map }) {
  const file = join(folder, relative('.', source)).replace(/\.ts$/, '.js');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, code);
  writeFileSync(`${file}.map`, map);
}

async function inParallel(items, work) {
  const left = items.values();
  const run = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, run));
}
