import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand, operatorProcess } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

const database = useTestDatabase();

describe('The value of an option', () => {
  let customer: string;
  beforeAll(async () => ({ id: customer } = await saveFakeCustomer(database.superuser)));
  const run = (line: string) => operatorCommand(database, line.replace('CUSTOMER', customer).split(' '));

  it.each([
    ['audit list --limit 0', '0 is not from 1 to 1000000'],
    ['audit list --limit 1000001', '1000001 is not from 1 to 1000000'],
    ['audit list --limit 1.5', '1.5 is not a whole number'],
    ['audit list --limit 1234567890', '1234567890 is too large: a number has 9 digits at most'],
    ['audit list --after 4711', '4711 is not an id (a UUID)'],
    ['credit-request list --after 9999999999', '9999999999 is too large'],
    ['customer storage --days 32', '32 is not from 1 to 31'],
    ['customer storage --days 0', '0 is not from 1 to 31'],
    ['request show --id x --days 3651', '3651 is not from 1 to 3650'],
    ['invoice list --due-before 0000-01-01', '0000-01-01 is not a date (YYYY-MM-DD)'],
    [
      'audit list --after 6b8f7f0a-4f0e-4a39-9d0c-7f0f3c2f8a1',
      '6b8f7f0a-4f0e-4a39-9d0c-7f0f3c2f8a1 is not an id (a UUID)',
    ],
    ['ai accounting --month 2026-13', '2026-13 is not a month (YYYY-MM)'],
    ['ai accounting --month 2026-00', '2026-00 is not a month (YYYY-MM)'],
    ['ai accounting --month 2026-1', '2026-1 is not a month (YYYY-MM)'],
    ['ai ledger --customer CUSTOMER --from 2026-02-30', '2026-02-30 is not a date (YYYY-MM-DD)'],
    ['ai ledger --customer CUSTOMER --to 2026-2-3', '2026-2-3 is not a date (YYYY-MM-DD)'],
    ['ai ledger --customer CUSTOMER --after 1e3', '1e3 is not a whole number'],
    ['customer list --state gone', 'gone is not one of active, inactive'],
    ['customer list --format xml', 'xml is not one of table, wide, json, csv'],
    ['token issue --customer CUSTOMER --scopes ai:read,ai:write', 'ai:write is not one of ai:read, ai:use, ai:topup'],
    ['token issue --customer CUSTOMER --scopes ai:read --expires-at soon', 'soon is not a time (RFC 3339'],
    ['audit list --since 2027-02-30', '2027-02-30 is not a time (RFC 3339'],
    ['audit list --since 2026-02-29T12:00:00+01:00', '2026-02-29T12:00:00+01:00 is not a time (RFC 3339'],
    ['audit list --since 2026-02-28T24:00:00Z', '2026-02-28T24:00:00Z is not a time (RFC 3339'],
    ['audit list --since 2026-02-28T12:00:00+25:00', '2026-02-28T12:00:00+25:00 is not a time (RFC 3339'],
    ['audit list --until 9999-12-31T23:00:00-01:00', '9999-12-31T23:00:00-01:00 is not a time (RFC 3339'],
    ['audit list --since 0001-01-01T00:00:00+00:01', '0001-01-01T00:00:00+00:01 is not a time (RFC 3339'],
    ['service add --customer CUSTOMER --type vpn --name A --config [1]', 'The value is not a JSON object'],
    ['service add --customer CUSTOMER --type vpn --name A --config {', 'The value is not a JSON object'],
    ['sms configure --customer CUSTOMER --enabled yes', 'yes is not one of true, false'],
    ['sms configure --customer CUSTOMER --daily-cap none', 'none is not a whole number'],
    ['ai ledger --customer CUSTOMER --after 1234567890123456789', '1234567890123456789 is too large'],
    ['status post --status outage --message A', 'Give --service or --type'],
    ['status post --status outage --message A --type vpn --customer CUSTOMER', 'without --service and --customer'],
    ['status post --status outage --message A --type vpn --service 1', 'without --service and --customer'],
  ])('is refused in %s', async (line, message) => {
    expect(await run(line)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  it.each([
    'audit list --limit 1',
    'audit list --limit 1000000',
    'audit list --since 0001-01-01 --until 9999-12-31T23:59:59.999Z',
    'ai accounting --month 2026-12',
    'ai ledger --customer CUSTOMER --from 2024-02-29 --to 2024-02-29 --after 0',
    'customer list --state inactive',
    'customer storage --days 31',
    'invoice list --due-before 0001-01-01',
    'sms configure --customer CUSTOMER --enabled true --sender-id Fjordlys --daily-cap 5',
    'sms configure --customer CUSTOMER --daily-cap default --json',
  ])('is taken in %s', async (line) => {
    expect(await run(line)).toMatchObject({ code: 0 });
  });

  it('that is a list of scopes has each of them once', async () => {
    const { stdout } = await run('token issue --customer CUSTOMER --scopes ai:use,ai:read,ai:use --json');
    expect(JSON.parse(stdout)).toMatchObject({ scopes: ['ai:use', 'ai:read'] });
  });

  it('that is a time without a zone is UTC, whatever the zone of the machine', async () => {
    const expiry = async (given: string) => {
      const words = ['token', 'issue', '--customer', customer, '--scopes', 'ai:read', '--expires-at', given, '--json'];
      const { stdout, stderr } = await operatorProcess(database, words, { environment: { TZ: 'Europe/Oslo' } });
      expect(stderr).toBe('');
      return new Date((JSON.parse(stdout) as { expires_at: string }).expires_at).toISOString();
    };
    expect(await expiry('2099-06-30 12:00')).toBe('2099-06-30T12:00:00.000Z');
    expect(await expiry('2099-06-30T12:00:00.5')).toBe('2099-06-30T12:00:00.500Z');
    expect(await expiry('2099-06-30')).toBe('2099-06-30T00:00:00.000Z');
    expect(await expiry('2099-06-30T12:00:00+02:00')).toBe('2099-06-30T10:00:00.000Z');
  });
});
