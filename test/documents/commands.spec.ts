import { existsSync, readFileSync } from 'node:fs';
import { type Document, parseDocument, readDocument, readDocuments } from '@test/documents/markdown';
import { operatorCommands } from '@test/documents/operator-commands';
import { readSourceFiles } from '@test/documents/source-files';
import { useTestDatabase } from '@test/use-test-database';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const documents = readDocuments();

const codeOf = ({ spans, blocks }: Document) => [...spans, ...blocks.map(({ text }) => text.replace(/\\\n/g, ' '))];

/** Scripts of npm that a text names and package.json lacks. `accept:…` stands for all that begin so. */
function unknownScripts(text: string): string[] {
  const named = [...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)(…?)/g)];
  return named
    .filter(([, name = '', more]) => !Object.keys(scripts).some((one) => (more ? one.startsWith(name) : one === name)))
    .map(([, name = '']) => name);
}

/** Where a text names a command of the operator, and what follows it. */
const OPERATOR = /(?:^|[\s(])operator (?:-- )?([a-z][a-z-]*) ([a-z][a-z-]*)([^\n|;<>]*)/g;

/** What every command takes. */
const COMMON = ['--json', '--csv', '--format', '--as', '--yes', '--help'];

const database = useTestDatabase();

describe('commands that documents name', () => {
  it.each(documents.map((document) => [document.path, document] as const))('are scripts of npm: %s', (_, document) => {
    expect(codeOf(document).flatMap(unknownScripts)).toEqual([]);
  });

  it('are scripts of npm in code, configuration and messages, too', () => {
    const found = readSourceFiles().flatMap(({ path, text }) => unknownScripts(text).map((name) => `${path}: ${name}`));
    expect(found.filter((line) => !line.startsWith('test/documents/'))).toEqual([]);
    expect(unknownScripts('npm run build, npm run -s no-such, npm run accept:…, npm run no:…')).toEqual([
      'no-such',
      'no:',
    ]);
  });

  it('test what there is', () => {
    const paths = documents.flatMap(codeOf).flatMap((code) => [...code.matchAll(/npm test -- ([\w./-]+)/g)]);
    expect(
      paths.map(([, path = '']) => path).filter((path) => !existsSync(path) && !existsSync(`${path}.spec.ts`)),
    ).toEqual([]);
  });
});

describe('commands of the operator', () => {
  let commands: Map<string, string[]>;
  beforeAll(async () => {
    commands = await operatorCommands(database);
  });

  /** What a document says of the command line and the command line does not know. */
  const unknown = (document: Document) =>
    codeOf(document).flatMap((code) =>
      [...code.matchAll(OPERATOR)].flatMap(([, noun = '', verb = '', rest = '']) => {
        const options = commands.get(`${noun} ${verb}`);
        if (!options) return [`${noun} ${verb}`];
        const given = [...rest.matchAll(/(?:^|\s)(--[a-z0-9-]+)/g)].map(([, option = '']) => option);
        return given.filter((option) => !options.includes(option)).map((option) => `${noun} ${verb} ${option}`);
      }),
    );

  it('that documents name exist, with their options', () => {
    expect(commands.size).toBeGreaterThan(40);
    expect(documents.flatMap((document) => unknown(document).map((command) => `${document.path}: ${command}`))).toEqual(
      [],
    );
  });

  it('that comments name for the containers exist', () => {
    const text = readSourceFiles()
      .filter(({ path }) => path.endsWith('.yml'))
      .map((file) => file.text)
      .join('\n');
    const named = parseDocument('x.md', `\`\`\`sh\n${text.replaceAll('```', '')}\n\`\`\``);
    expect(text).toContain('run --rm operator customer create');
    expect(unknown(named)).toEqual([]);
  });

  it('that do not exist are found', () => {
    const text =
      '`operator customer create --name X --no-such Y`, `operator customer paint`\n```sh\nnpm run -s operator -- no verb\n```';
    expect(unknown(parseDocument('x.md', text))).toEqual(['customer create --no-such', 'customer paint', 'no verb']);
  });

  it('all stand in the handbook, with all their options', () => {
    const page = readFileSync('docs/handbook/command-line.md', 'utf8');
    const rows = [...page.matchAll(/^\| `operator ([a-z-]+ [a-z-]+)` +\| (.*?) +\|/gm)];
    const described = new Map(
      rows.map(([, name, cell = '']) => [name, [...new Set([...cell.matchAll(/--[a-z0-9-]+/g)].map(String))].sort()]),
    );
    const existing = [...commands].map(
      ([name, options]) => [name, options.filter((option) => !COMMON.includes(option)).sort()] as const,
    );
    expect(Object.fromEntries([...described].sort())).toEqual(Object.fromEntries([...existing].sort()));
    expect(readDocument('docs/handbook/command-line.md').spans).toEqual(expect.arrayContaining(COMMON));
  });
});
