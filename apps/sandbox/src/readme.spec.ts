import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from './sandbox';

describe('the README', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  it('describes every directive', () => {
    const readme = readFileSync(join(__dirname, '..', 'README.md'), 'utf8');
    const { messages, elks46, link, stripe, fiken } = sandbox;
    const names = [messages, elks46, link, stripe, fiken].flatMap((upstream) => upstream.directives);

    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !new RegExp(`\`${name}(=[^\`]*)?\``).test(readme))).toEqual([]);
  });
});
