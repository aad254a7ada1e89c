import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SampledMutant } from './sampled-mutant';
import type { SpecCoverage } from './spec-coverage';

/** A file whose code runs before a spec begins, in the template of all databases: specs cover it only if they make their own. */
const IN_TEMPLATE = '/migrations/';
/** The spec that compares all tables with the entities. */
const SCHEMA_SPEC = 'test/contract/schema.spec.ts';

/** Files into which only the whole compilation writes the document's texts, and the spec that compares the document. */
const DESCRIBED = /\.(?:dto|controller)\.ts$/;
const DOCUMENT_SPEC = 'test/contract/openapi.spec.ts';

/** Distance of a spec outside of a file's library or program. */
const ELSEWHERE = 1_000;

/** All specs that need neither a browser nor containers. */
export function findSpecs(root: string): string[] {
  return globSync('{apps,libs,test/{contract,documents,e2e,faults,operator-api}}/**/*.spec.ts', { cwd: root });
}

/** Finds the specs that can notice a mistake, the nearest first. */
export class SpecChoice {
  private readonly names: string[];
  private readonly durations: Map<string, number>;
  private readonly linesOfFiles: Map<string, SpecCoverage['lines']>;
  private readonly covering = new Map<string, Map<number, string[]>>();
  private readonly users = new Map<string, { file: string; line: number }[]>();

  constructor(root: string, coverage: SpecCoverage[]) {
    this.names = findSpecs(root).sort();
    this.durations = new Map(coverage.map(({ spec, ms }) => [spec, ms]));
    this.linesOfFiles = new Map(coverage.map(({ spec, lines }) => [spec, lines]));
    for (const { spec, lines } of coverage)
      for (const [file, numbers] of Object.entries(lines)) {
        const byLine = this.covering.get(file) ?? new Map<number, string[]>();
        this.covering.set(file, byLine);
        for (const line of numbers) byLine.set(line, [...(byLine.get(line) ?? []), spec]);
      }
    this.findUsersOfSql(root);
  }

  /**
   * Specs that run the mutant's line, or all that look alike if none is known to: those of its library or program, the nearest
   * first, and those elsewhere. Then those that run most of the file, then those most alike in name, then the shortest.
   */
  of({ file, line, original }: SampledMutant): [beside: string[], elsewhere: string[]] {
    const covering = file.endsWith('.sql') ? this.ofSql(file, new Set()) : this.ofLines(file, line, original);
    const unknown = file.includes(IN_TEMPLATE) || (covering.length === 0 && this.durations.size === 0);
    // The specs of another library or program are about that one.
    const mayCover = (spec: string) => spec.startsWith('test/') || distance(spec, file) < ELSEWHERE;
    const alike = () => this.names.filter((spec) => likeness(spec, file) > 0 && mayCover(spec));
    const possible = unknown ? alike() : [...new Set(covering)];
    const able = possible.filter((spec) => spec !== DOCUMENT_SPEC || !DESCRIBED.test(file));
    const sorted = able.sort(
      (a, b) =>
        distance(a, file) - distance(b, file) ||
        this.linesRun(b, file) - this.linesRun(a, file) ||
        likeness(b, file) - likeness(a, file) ||
        this.ms(a) - this.ms(b),
    );
    const isBeside = (spec: string) => distance(spec, file) < ELSEWHERE;
    const elsewhere = sorted.filter((spec) => !isBeside(spec));
    const ofSchema = file.includes(IN_TEMPLATE) ? [SCHEMA_SPEC] : [];
    return [sorted.filter(isBeside), [...new Set([...ofSchema, ...elsewhere])]];
  }

  /** How long a spec takes on its own, in milliseconds. */
  ms(spec: string): number {
    return this.durations.get(spec) ?? 10_000;
  }

  /** Whether it is known how long the spec takes. */
  isMeasured(spec: string): boolean {
    return this.durations.has(spec);
  }

  /** How many lines of the file the spec runs; of SQL, how many of the code beside it. */
  private linesRun(spec: string, file: string): number {
    const lines = this.linesOfFiles.get(spec) ?? {};
    if (!file.endsWith('.sql')) return lines[file]?.length ?? 0;
    const folder = `${dirname(file).replace(/\/sql$/, '')}/`;
    return Object.entries(lines).reduce((sum, [path, run]) => sum + (path.startsWith(folder) ? run.length : 0), 0);
  }

  /** Specs that run the first line of a mutant that is run at all: the head of a block may have nothing to run. */
  private ofLines(file: string, line: number, original: string): string[] {
    const lines = original.split('\n').map((_, index) => this.covering.get(file)?.get(line + index));
    return lines.find((specs) => specs !== undefined) ?? [];
  }

  /** Specs that run a line which names a function of the file, or another function that calls it. */
  private ofSql(file: string, seen: Set<string>): string[] {
    if (seen.has(file)) return [];
    seen.add(file);
    return (this.users.get(file) ?? []).flatMap((user) =>
      user.file.endsWith('.sql')
        ? this.ofSql(user.file, seen)
        : (this.covering.get(user.file)?.get(user.line) ?? [...(this.covering.get(user.file)?.values() ?? [])].flat()),
    );
  }

  private findUsersOfSql(root: string): void {
    const read = (file: string) => readFileSync(join(root, file), 'utf8');
    const texts = globSync('{apps,libs}/**/*.{ts,sql}', { cwd: root })
      .filter((file) => !file.endsWith('.spec.ts') && !file.includes('/migrations/'))
      .map((file) => ({ file, lines: read(file).split('\n') }));
    const places = (pattern: RegExp) =>
      texts.flatMap(({ file, lines }) =>
        lines.flatMap((text, index) => (pattern.test(text) ? [{ file, line: index + 1, text }] : [])),
      );
    for (const file of globSync('libs/**/*.sql', { cwd: root })) {
      const functions = read(file).matchAll(/create (?:or replace )?(?:function|procedure) app\.(\w+)/g);
      const names = [...functions].map(([, name]) => name).join('|');
      const pattern = names
        ? `\\bapp\\.(?:${names})\\b|'(?:${names})'`
        : `'[^']*${basename(file).replace('.', '\\.')}'`;
      const users = places(new RegExp(pattern)).flatMap((user) => {
        // A constant runs in every spec that loads it: what counts is where it is used.
        const constant = /^(?:export )?const (\w+)/.exec(user.text)?.[1];
        return constant ? places(new RegExp(`^(?!import |export const |const |  \\w+,$).*\\b${constant}\\b`)) : [user];
      });
      this.users.set(
        file,
        users.filter((user) => user.file !== file),
      );
    }
  }
}

/** How many folders up from the file the spec stands beside. */
function distance(spec: string, file: string): number {
  const part = /^(?:libs\/\w+|apps)\/[\w-]+/.exec(file)?.[0] ?? file;
  let up = 0;
  for (let folder = dirname(file); folder.startsWith(part); folder = dirname(folder), up++)
    if (spec.startsWith(`${folder}/`)) return up;
  return ELSEWHERE;
}

/** How many words the two paths share. */
function likeness(spec: string, file: string): number {
  const words = (path: string) => new Set(path.replace(/\.(?:spec\.)?\w+$/, '').match(/[a-z]{2,}/g));
  const common = new Set(['src', 'libs', 'test', 'apps', 'platform', 'domains', 'service', 'spec']);
  return [...words(file)].filter((word) => !common.has(word) && words(spec).has(word)).length;
}
