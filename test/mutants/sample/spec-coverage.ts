import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What V8 reports of a script. */
interface ScriptCoverage {
  url: string;
  functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[];
}

/** A spec, how long it takes, and the lines of each file that it runs. */
export interface SpecCoverage {
  spec: string;
  ms: number;
  lines: Record<string, number[]>;
}

/** Tokens of compiled code: where each begins, and the line of the source that it comes from. */
type Tokens = { offset: number; line: number }[];

/**
 * Reads the coverage that `coverage.environment.cjs` recorded of a checkout, one folder for each spec, and keeps it as lines
 * of the sources: raw coverage is large.
 */
export async function readCoverage(folder: string, root: string): Promise<SpecCoverage[]> {
  const read: SpecCoverage[] = [];
  if (!existsSync(folder)) return read;
  const tokens = new TokenPlaces(root);
  await tokens.prepare();
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const kept = join(path, 'lines.json');
    if (existsSync(join(path, 'spec.json')) && !existsSync(kept)) {
      writeFileSync(kept, JSON.stringify(summarize(path, tokens)));
      for (const raw of readdirSync(path)) if (raw !== 'lines.json') rmSync(join(path, raw));
    }
    if (existsSync(kept)) read.push(JSON.parse(readFileSync(kept, 'utf8')) as SpecCoverage);
  }
  return read;
}

/** Folder of a spec's coverage. */
export function coverageFolder(folder: string, spec: string): string {
  return join(folder, createHash('sha256').update(spec).digest('hex').slice(0, 16));
}

function summarize(path: string, tokens: TokenPlaces): SpecCoverage {
  const lines = new Map<string, Set<number>>();
  let about = { spec: '', ms: 0 };
  for (const name of readdirSync(path)) {
    const report = JSON.parse(readFileSync(join(path, name), 'utf8')) as {
      spec?: string;
      ms?: number;
      result: ScriptCoverage[];
    };
    if (report.spec !== undefined) about = { spec: report.spec, ms: report.ms ?? 0 };
    for (const script of report.result) {
      const found = script.url.startsWith('file://') ? tokens.of(fileURLToPath(script.url)) : undefined;
      if (!found) continue;
      const known = lines.get(found.source) ?? new Set();
      lines.set(found.source, known);
      for (const line of linesRun(script, found.tokens)) known.add(line);
    }
  }
  const entries = [...lines].map(([file, set]) => [file, [...set].sort((a, b) => a - b)] as const);
  return { ...about, lines: Object.fromEntries(entries) };
}

/** Lines with a token that ran. The innermost range of V8 that has a token says how often. */
function linesRun({ functions }: ScriptCoverage, tokens: Tokens): Set<number> {
  const end = Math.max(0, ...functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)));
  const counts = new Uint8Array(end);
  // Outer ranges come first, so inner ones overwrite them.
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges) counts.fill(Math.min(count, 1), startOffset, endOffset);
  return new Set(tokens.filter(({ offset }) => counts[offset] === 1).map(({ line }) => line));
}

/** Maps compiled code to its sources: what jest compiles, and what is in `dist`. */
class TokenPlaces {
  private readonly known = new Map<string, { source: string; tokens: Tokens } | undefined>();
  private compile: (text: string, path: string) => string = () => '';

  constructor(private readonly root: string) {}

  /** Loads the checkout's own compiler, with the options that its jest uses. */
  async prepare(): Promise<void> {
    const { default: config } = (await import(pathToFileURL(join(this.root, 'jest.config.ts')).href)) as {
      default: { transform: Record<string, [string, { jsc: object }]> };
    };
    const options = Object.values(config.transform)[0]?.[1];
    const { createTransformer } = createRequire(join(this.root, 'package.json'))('@swc/jest') as {
      createTransformer(settings: object): {
        process(text: string, path: string, about: object): { code: string };
      };
    };
    const transformer = createTransformer({ ...options, jsc: { ...options?.jsc, baseUrl: this.root } });
    this.compile = (text, path) =>
      transformer.process(text, path, { supportsStaticESM: false, instrument: false }).code;
  }

  of(path: string): { source: string; tokens: Tokens } | undefined {
    if (!this.known.has(path)) this.known.set(path, this.find(path));
    return this.known.get(path);
  }

  private find(path: string): { source: string; tokens: Tokens } | undefined {
    const place = relative(this.root, path);
    if (/^(?:apps|libs)\/.*\.ts$/.test(place) && existsSync(path)) {
      const code = this.compile(readFileSync(path, 'utf8'), path);
      const inline = /sourceMappingURL=data:application\/json;[^,]*base64,(\S+)/.exec(code)?.[1] ?? '';
      return { source: place, tokens: tokensOf(code, Buffer.from(inline, 'base64').toString()) };
    }
    if (!/^dist\/(?:apps|libs)\/.*\.js$/.test(place) || !existsSync(`${path}.map`)) return undefined;
    const map = readFileSync(`${path}.map`, 'utf8');
    const [source = ''] = (JSON.parse(map) as SourceMapPayload).sources;
    return {
      source: relative(this.root, join(dirname(path), source)),
      tokens: tokensOf(readFileSync(path, 'utf8'), map),
    };
  }
}

function tokensOf(code: string, map: string): Tokens {
  const sourceMap = new SourceMap(JSON.parse(map) as SourceMapPayload);
  const tokens: Tokens = [];
  let offset = 0;
  for (const [number, text] of code.split('\n').entries()) {
    for (const { index } of text.matchAll(/[\w$]+|[^\w\s$]/g)) {
      const entry = sourceMap.findEntry(number, index);
      if ('originalLine' in entry && entry.generatedLine === number)
        tokens.push({ offset: offset + index, line: entry.originalLine + 1 });
    }
    offset += text.length + 1;
  }
  return tokens;
}
