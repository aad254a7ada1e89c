import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Folders that a domain may have, as CONTRIBUTING describes them. */
const SIDES = ['customer', 'operator', 'worker'];
const FOLDERS = [...SIDES, 'entities', 'ports', 'adapters', 'sql', 'migrations'];
/** Parts that several sides of a domain use, by domain. */
const SHARED: Record<string, string[]> = {
  ai: ['health', 'ledger', 'liveness', 'provider-keys', 'usage'],
  events: ['webhook-secrets'],
  invoices: ['health'],
  sms: ['delivery-reports'],
};

/** What a file holds, and how its name ends then. */
const ENDINGS: [decorator: RegExp, ending: RegExp][] = [
  [/^@Module\(/m, /\.module\.ts$/],
  [/^@Entity\(/m, /\/entities\/[\w-]+\.entity\.ts$/],
  [/^@Injectable\(/m, /\.(service|adapter)\.ts$/],
];

const domains = globSync('libs/domains/*').map((path) => basename(path));

describe.each(domains)('the domain %s', (domain) => {
  const root = `libs/domains/${domain}/src`;
  const files = globSync(`${root}/**/*.ts`).filter((path) => !path.endsWith('.spec.ts'));
  const text = (path: string) => readFileSync(path, 'utf8');

  it('has a public entry and a module for each side', () => {
    const top = globSync(`${root}/*.ts`).map((path) => basename(path));
    expect(top).toContain('index.ts');
    expect(top).toContain(`${domain}.module.ts`);
    expect(top).toContain(`${domain}-operator.module.ts`);
  });

  it('has no other folders than all domains have, and its shared parts', () => {
    const folders = globSync(`${root}/*/`).map((path) => basename(path));
    expect(folders.filter((folder) => ![...FOLDERS, ...(SHARED[domain] ?? [])].includes(folder))).toEqual([]);
    expect(folders).toEqual(expect.arrayContaining(['customer', 'entities', 'operator', ...(SHARED[domain] ?? [])]));
  });

  it('names files after what they hold', () => {
    const wrong = files.filter((path) =>
      ENDINGS.some(([decorator, end]) => decorator.test(text(path)) && !end.test(path)),
    );
    expect(wrong).toEqual([]);
    const operators = globSync(`${root}/operator/**/*.service.ts`);
    expect(operators.filter((path) => !path.endsWith('-operator.service.ts'))).toEqual([]);
    const entities = globSync(`${root}/entities/**/*.ts`);
    expect(entities.filter((path) => !path.endsWith('.entity.ts'))).toEqual([]);
  });

  it('has sides that do not import one another', () => {
    const crossing = files.flatMap((path) => {
      const side = SIDES.find((one) => path.startsWith(`${root}/${one}/`));
      const imports = [...text(path).matchAll(/ from '(\.[^']+)'/g)].map(([, target = '']) =>
        new URL(target, `file:///${dirname(path)}/`).pathname.slice(1),
      );
      return imports
        .filter((target) => side && SIDES.some((one) => one !== side && target.startsWith(`${root}/${one}/`)))
        .map((target) => `${path} → ${target}`);
    });
    expect(crossing).toEqual([]);
  });
});
