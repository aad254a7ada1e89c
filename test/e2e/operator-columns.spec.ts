import { saveFakeUsage } from '@test/factories/ai-usage.factory';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

describe('The columns of a list', () => {
  it('are those that fit a terminal, and all of them if it is wide', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await saveFakeUsage(database.superuser, id);
    const head = async (format: string) => {
      const { stdout } = await operatorCommand(database, ['ai', 'usage', '--customer', id, '--format', format]);
      return stdout.split('\n')[0]?.split(/ +/);
    };
    const fitting = ['created_at', 'model', 'input_tokens', 'output_tokens', 'charged', 'token_name', 'id'];
    expect(await head('table')).toEqual(fitting);
    expect(await head('wide')).toEqual([
      ...[...fitting, 'cache_write5m_tokens', 'cache_write1h_tokens', 'cache_read_tokens', 'paid_from_included'],
      ...['paid_from_purchased', 'uncovered', 'currency', 'provider', 'request_id', 'api_request_id', 'token_id'],
      'streamed',
    ]);
  });
});
