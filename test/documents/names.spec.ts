import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Document, parseDocument, readDocument, readDocuments } from '@test/documents/markdown';
import { readSourceFiles } from '@test/documents/source-files';

const documents = readDocuments();
const sources = readSourceFiles();
const each = documents.map((document) => [document.path, document] as const);

const TOP = /^(apps|libs|test|docs|\.ci|\.github)\//;
const FILE = /^\w[\w.-]*\.(md|ts|mjs|cjs|sql|json|ya?ml)$|^Dockerfile$|^\.env\.example$/;
/** Files that programs and examples make. */
const MADE = /^(dist|\.data)\//;

const everyName = new Set(
  globSync(['*', '.*', '.ci/*', '{apps,libs,test,docs}/**/*'], { exclude: ['**/node_modules', '**/dist'] }).map(
    (path) => basename(path),
  ),
);

/** Files and folders that a document names and the repository lacks. `<domain>`, `{a,b}` and `*` stand for several. */
function missingFiles({ spans, blocks }: Document): string[] {
  const made = new Set(blocks.map(({ options }) => options.file));
  return spans.filter((span) => {
    if (made.has(span) || MADE.test(span) || /\s/.test(span)) return false;
    if (TOP.test(span)) {
      const pattern = span.replace(/\/$/, '').replace(/<[^>]+>|…/g, '*');
      return /[*{]/.test(pattern) ? globSync(pattern).length === 0 : !existsSync(pattern);
    }
    return FILE.test(span) && !everyName.has(span) && !existsSync(span);
  });
}

/** `.env.example` has every setting; another test compares it with the code. */
const settings = new Set(
  [...readFileSync('.env.example', 'utf8').matchAll(/^# ([A-Z_0-9]+)=/gm)].map(([, name]) => name),
);
const defaults = new Set(
  [...readFileSync('.env.example', 'utf8').matchAll(/^# [A-Z_0-9]+=(.+)/gm)].map(([, value]) => value),
);
/** Constants of the system, codes of errors, and settings of Docker Compose itself. */
const NO_SETTING = /^(SO|ERR|UND_ERR|HPE|COMPOSE)_/;
const knownToTools = sources.map(({ text }) => text).join('\n');

/** Settings that a document names and no program reads. */
function unknownSettings({ spans, blocks }: Document): string[] {
  const shell = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
  const names = [...spans, ...shell].flatMap((code) => code.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []);
  return names.filter((name) => {
    if (NO_SETTING.test(name)) return false;
    const setting = name.replace(/_FILE$/, '');
    if (settings.has(setting) || defaults.has(name) || name === 'NAME_FILE' || setting.endsWith('_')) return false;
    // Settings of the containers and of tools.
    return !new RegExp(`\\$\\{${setting}:?-|process\\.env\\.${setting}\\b`).test(knownToTools);
  });
}

describe('names in documents', () => {
  it.each(each)('are of files that exist: %s', (_, document) => expect(missingFiles(document)).toEqual([]));

  it.each(each)('are of settings that exist: %s', (_, document) => expect(unknownSettings(document)).toEqual([]));

  it('of files stand once in the architecture', () => {
    const named = readDocument('docs/architecture.md').spans.filter((span) => TOP.test(span));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((path, place) => named.indexOf(path) !== place)).toEqual([]);
  });

  it('of apps, domains and parts of the platform are all on the map', () => {
    const spans = new Set(readDocument('CONTRIBUTING.md').spans.map((span) => span.replace(/^apps\//, '')));
    const folders = globSync('{apps,libs/domains,libs/platform}/*').map((path) => basename(path));
    expect(folders.filter((folder) => !spans.has(folder))).toEqual([]);
  });

  it('of settings of the containers are all in .env.example and on the page of settings', () => {
    // Images, ports of the monitoring, secrets in files, and what the scripts and a person's environment set.
    const other = /^(\w+_IMAGE|\w+_FILE|PROMETHEUS_PORT|GRAFANA_PORT|RELEASE|OPERATOR_NAME)$/;
    const given = [...readFileSync('docker-compose.yml', 'utf8').matchAll(/\$\{([A-Z_]+):-/g)].map(
      ([, name = '']) => name,
    );
    const names = [...new Set(given)].filter((name) => !other.test(name));
    expect(names).toContain('CONSOLE_PORT');
    const page = new Set(readDocument('docs/handbook/settings.md').spans);
    expect(names.filter((name) => !settings.has(name))).toEqual([]);
    expect(names.filter((name) => !page.has(name))).toEqual([]);
  });

  it('of what does not exist are found', () => {
    const text =
      '`libs/nothing/x.ts` `libs/*/no-such.ts` `no-such.json` `NO_SUCH_SETTING` `PORT` `DATABASE_URL=x npm test` `README.md` `apps/*`\n```sh\nNO_SETTING=1 npm test\n```';
    const document = parseDocument('x.md', text);
    expect(missingFiles(document)).toEqual(['libs/nothing/x.ts', 'libs/*/no-such.ts', 'no-such.json']);
    expect(unknownSettings(document)).toEqual(['NO_SUCH_SETTING', 'NO_SETTING']);
  });
});

describe('what comments cite', () => {
  it('is in the repository, or public', () => {
    const pages = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\bdocs\/[\w/-]+\.md\b/g)]
        .map(([page]) => ({ path, page }))
        .filter(({ page }) => !existsSync(page)),
    );
    expect(pages).toEqual([]);
    const elsewhere = sources.filter(
      ({ path, text }) => !path.startsWith('test/documents/') && /\b(specification|design)('s)? \(?§/.test(text),
    );
    expect(elsewhere.map(({ path }) => path)).toEqual([]);
  });

  it('is looked for in more than a few files', () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(readFileSync('README.md', 'utf8')).toContain('docs/guide/README.md');
  });
});
