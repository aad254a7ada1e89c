import { Client } from 'pg';

/** The probe of the connection that listens for token changes; it runs all the time. */
const PROBE = 'select 1';

/** Collects the statements that this process sends to PostgreSQL during `work`. */
export async function queriesDuring(work: () => Promise<unknown>): Promise<string[]> {
  const spy = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    return (spy.mock.calls as unknown[][])
      .map(([query]) => (typeof query === 'string' ? query : (query as { text: string }).text))
      .filter((text) => text !== PROBE);
  } finally {
    spy.mockRestore();
  }
}
