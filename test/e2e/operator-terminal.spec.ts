import { randomUUID } from 'node:crypto';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { operatorCommand } from '@test/operator-command';
import { useTestDatabase } from '@test/use-test-database';

/** Clears the screen (in both encodings), writes a fake line, writes backwards, hides text. */
const HOSTILE = 'Help\u001b[2J\u001b[1;1H\u009b2J\u0007\r\n1  approved\u202e009\u2066\u2028\u200b\u{e0041}';
const SHOWN =
  'Help\\u{1b}[2J\\u{1b}[1;1H\\u{9b}2J\\u{7}\\r\\n1  approved\\u{202e}009\\u{2066}\\u{2028}\\u{200b}\\u{e0041}';
/** Text without control and invisible characters. */
const HARMLESS = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cf}]*$/u;

jest.setTimeout(240_000);
const database = useTestDatabase();

describe("The operator's terminal", () => {
  let customer: string;
  const ticket = randomUUID();

  beforeAll(async () => {
    customer = (await saveFakeCustomer(database.superuser)).id;
    const query = (text: string, ...values: unknown[]) => database.superuser.query(text, [customer, ...values]);
    await query('update customer set name = $2, email = $2 where id = $1', HOSTILE);
    await query('insert into support_ticket (customer_id, id, title, body) values ($1, $2, $3, $3)', ticket, HOSTILE);
    await query(
      `insert into support_ticket_reply (customer_id, id, ticket_id, author, body) values ($1, $2, $3, 'customer', $4)`,
      randomUUID(),
      ticket,
      HOSTILE,
    );
    await query(
      'insert into ai_credit_request (customer_id, amount_nok, note, reference, created_at) values ($1, 500, $2, $2, now())',
      HOSTILE,
    );
    await query(
      `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway)
       values ($1, $2, '+4790000000', 'Acme', $3, 1, 'UCS-2', '46elks')`,
      randomUUID(),
      HOSTILE,
    );
    await query(
      `insert into customer_service (customer_id, type, name, config) values ($1, 'x', $2, $3)`,
      HOSTILE,
      JSON.stringify({ [HOSTILE]: [HOSTILE] }),
    );
    await query(
      `insert into audit_log (customer_id, id, actor, action, metadata) values ($1, $2, $3, 'x', $4)`,
      ...[randomUUID(), HOSTILE, JSON.stringify({ [HOSTILE]: HOSTILE })],
    );
  });

  const run = async (line: string) => {
    const { code, stdout, stderr } = await operatorCommand(database, line.split(' '));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const commands = () =>
    [
      'ticket list',
      `ticket show --ticket ${ticket}`,
      'credit-request list',
      'customer list',
      `customer show --customer ${customer}`,
      `sms log --customer ${customer}`,
      `service list --customer ${customer}`,
      `audit list --customer ${customer}`,
    ] as const;

  it('is never sent control characters, in no table and in no JSON', async () => {
    for (const command of commands()) {
      const table = await run(command);
      expect({ command, lines: table.split('\n').filter((line) => !HARMLESS.test(line)) }).toEqual({
        command,
        lines: [],
      });
      expect(table).toContain('\\u{1b');
      const isList = / (list|log)\b/.test(command);
      expect(table.split('\n').filter((line) => isList && line.length > 120)).toEqual([]);
      const json = await run(`${command} --json`);
      expect({ command, lines: json.split('\n').filter((line) => !HARMLESS.test(line)) }).toEqual({
        command,
        lines: [],
      });
      expect(JSON.stringify(JSON.parse(json))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
    }
  });

  it('is never sent what it would obey in CSV, but for line ends', async () => {
    for (const command of commands()) {
      const csv = await run(`${command} --csv`);
      expect({ command, lines: csv.split(/\r?\n/).filter((line) => !HARMLESS.test(line)) }).toEqual({
        command,
        lines: [],
      });
      expect(csv).toContain('\\u{1b}[2J');
    }
  });

  it('has one line for each row of a list', async () => {
    const [head, row, ...rest] = (await run('ticket list --format wide')).trimEnd().split('\n');
    expect(head).toMatch(/^customer_number +customer +title/);
    expect(row).toContain(SHOWN);
    expect(rest).toEqual([]);
  });

  it('shows a text of several lines beside its name', async () => {
    const lines = (await run(`ticket show --ticket ${ticket}`)).split('\n');
    const at = lines.findIndex((line) => line.startsWith('title '));
    expect(lines[at + 1]).toMatch(/^ {5,}1 {2}approved/);
  });

  it('gets failure messages without control characters', async () => {
    const { code, stderr } = await operatorCommand(database, ['ticket', 'show', '--ticket', `x${HOSTILE}`]);
    expect(code).toBe(2);
    expect(stderr.split('\n').filter((line) => !HARMLESS.test(line))).toEqual([]);
    expect(stderr).toContain('\\u{1b}');
  });
});
