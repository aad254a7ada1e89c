import { Client } from 'pg';
import { useTestDatabase } from '@test/use-test-database';
import { clientSettings } from './connection-settings';

const database = useTestDatabase();

describe('connections of the programs', () => {
  it.each(['customer_api', 'account_operator'] as const)('compile no statement, as %s', async (role) => {
    const client = new Client(clientSettings(database.config, role));
    await client.connect();
    const { rows } = await client.query<{ jit: string }>('show jit');
    await client.end();
    expect(rows).toEqual([{ jit: 'off' }]);
  });
});
