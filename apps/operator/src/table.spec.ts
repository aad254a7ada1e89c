import type { ServiceCommand } from './commands/command';
import { listTable } from './output/table';

const COMMAND = { columns: ['n'] } as unknown as ServiceCommand;
const linesOf = (rows: number) =>
  listTable(
    Array.from({ length: rows }, (_, n) => ({ n })),
    COMMAND,
    false,
  ).split('\n');

describe('A table', () => {
  it('has as many rows as --limit may ask for', () => {
    const lines = linesOf(150_000);
    expect(lines).toHaveLength(150_001);
    expect([lines[0], lines[1], lines[501], lines.at(-1)]).toEqual(['n', '0', '500', '149999']);
  }, 240_000);
});
