import { randomUUID } from 'node:crypto';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  AiConfigurationOperatorService,
  AiCreditOperatorService,
  AiModule,
  AiOperatorModule,
  AiVerificationOperatorService,
  CreditLedger,
} from '@domains/ai';
import { DataSource } from 'typeorm';
import { CustomerImportOperatorService, CustomersOperatorModule, CustomersOperatorService } from '@domains/customers';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { NestLogger } from '@platform/logging';
import { TokensOperatorModule, TokensOperatorService } from '@platform/tokens';
import {
  CustomerDataOperatorModule,
  CustomerErasureOperatorService,
  CustomerExportOperatorService,
  customerTables,
} from '@schema';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { anyRow, customerOwnedTables, leaveRowLevelSecurityAlone } from '@test/any-row';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { saveLargeTickets } from '@test/factories/ticket.factory';
import { request } from '@test/ledger.fixture';
import { holdLock, waitForLocks } from '@test/locks';
import { connectAsSuperuser } from '@test/test-database';
import { useTestDatabase } from '@test/use-test-database';

const ACTOR = 'operator:test';
const PENDING_CALL = `insert into ai_reservation
    (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline, created_at)
  values ($1, app.new_id(), 1, 'm', now(), 1, 1, now() + interval '1 hour', now())`;
const database = useTestDatabase();

describe("a customer's data", () => {
  let operator: TestingModule;

  beforeAll(async () => {
    operator = await Test.createTestingModule({
      imports: [
        ConfigModule.for(database.config),
        DatabaseModule.as('account_operator'),
        AiOperatorModule,
        CustomersOperatorModule,
        TokensOperatorModule,
        CustomerDataOperatorModule,
      ],
    })
      .setLogger(new NestLogger(database.config))
      .compile();
  });
  afterAll(() => operator.close());

  const rowsOf = async (table: string, customerId: string) =>
    (
      await database.superuser.query<Record<string, unknown>>(
        `select * from ${table} where ${table === 'customer' ? 'id' : 'customer_id'} = $1`,
        [customerId],
      )
    ).rows;
  const everyRowOf = (customerId: string) => Promise.all(customerTables.map(({ table }) => rowsOf(table, customerId)));
  const erase = (customerId: string, dryRun = false) =>
    operator.get(CustomerErasureOperatorService).erase(ACTOR, customerId, { dryRun });
  /** So many connections wait for a lock. */
  const deactivate = (customerId: string) => operator.get(CustomersOperatorService).setActive(ACTOR, customerId, false);

  async function exported(customerId: string): Promise<Map<string, Record<string, unknown>[]>> {
    const tables = new Map<string, Record<string, unknown>[]>();
    for await (const { table, rows } of operator.get(CustomerExportOperatorService).export(ACTOR, customerId))
      tables.set(table, [...(tables.get(table) ?? []), ...rows]);
    return tables;
  }

  describe('by table', () => {
    it('has a rule for every table that has rows of a customer, and for no other', async () => {
      const tables = await customerOwnedTables(database.superuser);
      expect(tables.length).toBeGreaterThan(20);
      expect(customerTables.map(({ table }) => table).sort()).toEqual(tables);
    });

    it('has a decision for every text of a table whose rows stay', async () => {
      const { rows } = await database.superuser.query<{ table: string; name: string }>(
        `select table_name as table, column_name as name from information_schema.columns
         where table_schema = 'public' and data_type in ('text', 'jsonb', 'json', 'bytea', 'character varying', 'ARRAY')`,
      );
      const decided = customerTables.flatMap(({ table, erase: rule }) =>
        rule.how === 'blank' ? [...Object.keys(rule.blanks), ...rule.keeps].map((name) => `${table}.${name}`) : [],
      );
      const staying = customerTables.filter(({ erase: rule }) => rule.how === 'blank').map(({ table }) => table);
      const texts = rows.filter(({ table }) => staying.includes(table)).map(({ table, name }) => `${table}.${name}`);
      expect(decided.sort()).toEqual(texts.sort());
    });

    // A second list, since all other tests take the rules as right: a new exception is decided here, too.
    it('leaves nothing but the books, whom they are about, and who did something', () => {
      const staying = Object.fromEntries(
        customerTables.flatMap(({ table, erase: rule }) => (rule.how === 'blank' ? [[table, rule.keeps]] : [])),
      );
      expect(staying).toEqual({
        customer: ['name', 'organization_number', 'customer_number', 'email'],
        audit_log: ['actor', 'action'],
        ai_account: ['month', 'told_thresholds'],
        ai_usage: ['provider', 'model', 'currency'],
        ai_usage_day: ['model'],
        ai_ledger_entry: ['kind', 'bucket', 'month', 'actor'],
        ai_ledger_carried: ['bucket'],
        ai_credit_request: ['status', 'decided_by'],
        ai_credit_request_approval: ['approved_by', 'invoice_number'],
        invoice: ['source', 'source_id', 'type', 'number', 'status', 'currency', 'kid'],
      });
    });

    it('exports every column but secrets and the service’s own', () => {
      const hidden = customerTables.flatMap(({ table, hides = [] }) => hides.map((column) => `${table}.${column}`));
      expect(hidden.sort()).toEqual([
        'ai_credit_request.decided_by',
        'ai_credit_request_approval.approved_by',
        'ai_reservation.key_hash',
        'ai_reservation.reason',
        'ai_settings.key_ciphertext',
        'idempotency_key.fingerprint',
        'idempotency_key.key_hash',
        'idempotency_key.reply',
        'idempotency_key.secrets_key',
        'service_token.token_hash',
        'support_ticket_assignment.assignee',
        'webhook_endpoint.former_secrets',
        'webhook_endpoint.secret_ciphertext',
      ]);
    });
  });

  describe('of a customer with a balance and invoices', () => {
    let customerId: string;
    beforeEach(async () => {
      ({ id: customerId } = await saveFakeCustomer(database.superuser));
      await saveFakeToken(database.superuser, customerId, { name: 'The laptop of Kari' });
      const model = await saveModelPrice(database.superuser);
      await enableAi(database.superuser, customerId, { model, included: 50 });
    });
    const sql = (text: string, values: unknown[] = []) => database.superuser.query(text, [customerId, ...values]);

    it.each([
      ['is active', () => Promise.resolve(), /is active/],
      ['has an AI call in progress', () => sql(PENDING_CALL), /1 AI calls in progress/],
      [
        'has an unpaid invoice',
        () => saveFakeInvoice(database.superuser, customerId),
        /1 unpaid invoices: set their status/,
      ],
      [
        'has unpaid invoices and drafts of a billing source, whose status cannot be set here',
        async () => {
          await saveFakeInvoice(database.superuser, customerId, { source: 'fiken' });
          await saveFakeInvoice(database.superuser, customerId, { source: 'stripe', status: 'draft' });
        },
        /has 2 unpaid invoices or drafts in a billing source: settle or delete them there first, then sync/,
      ],
      [
        'waits for credit',
        () => sql(`insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 100, now())`),
        /1 pending credit requests/,
      ],
      [
        'has purchased credit left',
        () =>
          sql(
            `select app.ai_credit($1, '2026-01', now(), 'manual_adjustment', 5, 'test', 'operator:test', null, null)`,
          ),
        /purchased AI credit that is left/,
      ],
    ])('is not erased while it %s', async (state, prepare, reason) => {
      await prepare();
      if (state !== 'is active') await deactivate(customerId);
      await expect(erase(customerId)).rejects.toThrow(reason);
      expect(await rowsOf('customer', customerId)).toMatchObject([{ erased_at: null }]);
      expect(await rowsOf('service_token', customerId)).toHaveLength(1);
    });

    it('is not erased while credit is being added to it, and gets none once it is', async () => {
      await deactivate(customerId);
      const adding = () =>
        operator.get(AiCreditOperatorService).adjust(ACTOR, {
          ...{ customerId, kind: 'manual_adjustment', amountNok: '100', note: 'Correction' },
        });
      const call = await connectAsSuperuser(database);
      await call.query('begin');
      await call.query('select from ai_account where customer_id = $1 for update', [customerId]);
      const added = adding();
      await waitForLocks(database.superuser, 1);
      const erased = erase(customerId);
      const refused = expect(erased).rejects.toThrow(/purchased AI credit that is left/);
      await waitForLocks(database.superuser, 2);
      await call.query('rollback');
      await call.end();
      await added;
      await refused;
      await sql('update ai_account set purchased = 0 where customer_id = $1');
      await erase(customerId);
      await expect(adding()).rejects.toThrow('The customer was erased');
    });

    it('is not erased while credit is being reserved for an AI call, and has AI still', async () => {
      await deactivate(customerId);
      const call = await connectAsSuperuser(database);
      await call.query('begin');
      await call.query('select from ai_account where customer_id = $1 for no key update', [customerId]);
      const refused = expect(erase(customerId)).rejects.toThrow(/1 AI calls in progress/);
      await waitForLocks(database.superuser, 1);
      await call.query(PENDING_CALL, [customerId]);
      await call.query('commit');
      await call.end();
      await refused;
      expect(await rowsOf('ai_settings', customerId)).toMatchObject([{ enabled: true }]);
    });

    it('gets no credit for AI calls while it is being erased, alone or with others', async () => {
      const api = await Test.createTestingModule({
        imports: [ConfigModule.for(database.config), DatabaseModule.as('customer_api'), AiModule],
      }).compile();
      const ledger = (await api.init()).get(CreditLedger);
      const others = [await saveFakeCustomer(database.superuser), await saveFakeCustomer(database.superuser)];
      await sql(
        `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway)
         values ($1, app.new_id(), '+4790000000', 'A', 'Text', 1, 'GSM-7', 'g')`,
      );
      await deactivate(customerId);
      const held = 'select from sms_message where customer_id = $1 for update';
      const release = await holdLock(database, held, [customerId]);
      const erased = erase(customerId);
      await waitForLocks(database.superuser, 1);
      const reserved = [await ledger.reserve(request(customerId))];
      // In one statement.
      const together = [customerId, ...others.map(({ id }) => id)].map((id) => ledger.reserve(request(id)));
      reserved.push(...(await Promise.all(together)).slice(0, 1));
      await release();
      await erased;
      expect(reserved).toEqual([{ outcome: 'disabled' }, { outcome: 'disabled' }]);
      expect(await rowsOf('ai_account', customerId)).toMatchObject([{ reserved: '0.000000000000' }]);
      expect(await operator.get(AiVerificationOperatorService).verify(customerId)).toEqual([]);
      await api.close();
    });

    it('is erased by portions, also where most of the rows have nothing to erase', async () => {
      await sql(
        `insert into ai_ledger_entry (customer_id, id, sequence, kind, bucket, amount, balance_after, month, note, actor, created_at)
         select $1, gen_random_uuid(), 100 + n, 'manual_adjustment', 'included', 0.01, 1, '2026-01',
           case n when 1700 then 'for Kari' end, 'operator:test', now() from generate_series(1, 1700) n`,
      );
      await deactivate(customerId);
      const query = jest.spyOn(operator.get(DataSource), 'query');
      const erased = await erase(customerId);
      const looked = query.mock.calls.filter(([text]) => text.includes('update ai_ledger_entry')).length;
      query.mockRestore();
      expect(erased).toContainEqual({ table: 'ai_ledger_entry', rows: 1, done: 'blanked' });
      expect(looked).toBe(4);
    });

    it('is only counted in a dry run', async () => {
      await deactivate(customerId);
      const before = await everyRowOf(customerId);
      const counted = await erase(customerId, true);
      expect(counted).toContainEqual({ table: 'service_token', rows: 1, done: 'deleted' });
      expect(counted).toContainEqual({ table: 'ai_account', rows: 1, done: 'kept' });
      expect(await everyRowOf(customerId)).toEqual(before);
    });

    it('keeps the books, which still add up, and whom they are about', async () => {
      await saveFakeInvoice(database.superuser, customerId, { status: 'paid', hostedUrl: 'https://bill.example/kari' });
      await deactivate(customerId);
      const [{ organization_number, customer_number } = {}] = await rowsOf('customer', customerId);
      await erase(customerId);
      expect(await operator.get(AiVerificationOperatorService).verify(customerId)).toEqual([]);
      expect(await rowsOf('ai_ledger_entry', customerId)).toMatchObject([{ kind: 'monthly_included' }]);
      expect(await rowsOf('invoice', customerId)).toMatchObject([
        { number: '10042', amount: '125050', hosted_url: null },
      ]);
      expect(await rowsOf('customer', customerId)).toMatchObject([
        { name: `Erased customer ${String(customer_number)}`, email: '', organization_number, active: false },
      ]);
    });

    it('is recorded in the audit log, whose other entries lose their details', async () => {
      await deactivate(customerId);
      await erase(customerId);
      await erase(customerId);
      const entries = await rowsOf('audit_log', customerId);
      expect(entries.map(({ actor, action, metadata }) => ({ actor, action, metadata }))).toEqual([
        { actor: ACTOR, action: 'customer.deactivate', metadata: {} },
        { actor: ACTOR, action: 'customer.erase', metadata: {} },
      ]);
    });

    it('is exported only with an entry in the audit log that says by whom', async () => {
      const tables = await exported(customerId);
      const entry = { actor: ACTOR, action: 'customer.export' };
      expect(await rowsOf('audit_log', customerId)).toMatchObject([entry]);
      expect(tables.get('audit_log')).toMatchObject([{ ...entry, actor: 'operator' }]);
    });

    it('goes on where an erasure was broken off', async () => {
      await deactivate(customerId);
      await database.superuser.query('revoke delete on customer_service from account_operator');
      await expect(erase(customerId)).rejects.toThrow(/to go on: operator customer erase --customer /);
      expect(await rowsOf('customer_service', customerId)).toHaveLength(1);
      await database.superuser.query('grant delete on customer_service to account_operator');
      expect(await erase(customerId)).toContainEqual({ table: 'customer_service', rows: 1, done: 'deleted' });
      const again = await erase(customerId);
      expect(again.filter(({ rows, done }) => rows > 0 && done === 'deleted')).toEqual([]);
    });

    it('cannot be written any more afterwards', async () => {
      await deactivate(customerId);
      await erase(customerId);
      const refused = [
        () => operator.get(CustomersOperatorService).setActive(ACTOR, customerId, true),
        () => operator.get(AiConfigurationOperatorService).configure(ACTOR, customerId, { enabled: true }),
        () => operator.get(TokensOperatorService).issue(ACTOR, { customerId, scopes: ['ai:chat'] as never }),
      ];
      for (const attempt of refused) await expect(attempt()).rejects.toThrow('The customer was erased');
    });
  });

  describe('in many rows of every table', () => {
    const MANY = 1_201;
    let [customerId, other] = ['', ''];

    beforeAll(async () => {
      [customerId, other] = [
        (await saveFakeCustomer(database.superuser, { active: false, organizationNumber: '974760673' })).id,
        (await saveFakeCustomer(database.superuser, { active: false })).id,
      ];
      const tables = customerTables.map(({ table }) => table).filter((table) => table !== 'customer');
      await leaveRowLevelSecurityAlone(database.superuser, tables);
      for (const table of tables)
        for (const id of [customerId, other]) {
          const [statement, values] = await anyRow(database.superuser, table, id);
          await database.superuser.query(statement, values);
        }
      await database.superuser.query('update ai_account set purchased = 0');
      await database.superuser.query(
        `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway)
         select $1, gen_random_uuid(), '+4790000000', 'A', 'Text ' || i, 1, 'GSM-7', 'g' from generate_series(2, $2) i`,
        [customerId, MANY],
      );
    });

    it('is exported completely, without secrets, and without rows of others', async () => {
      const tables = await exported(customerId);
      expect([...tables.keys()].sort()).toEqual(customerTables.map(({ table }) => table).sort());
      for (const { table, hides = [] } of customerTables) {
        const stored = await rowsOf(table, customerId);
        expect(tables.get(table)).toHaveLength(stored.length);
        const shown = Object.keys(stored[0] ?? {}).filter((column) => !hides.includes(column));
        expect(Object.keys(tables.get(table)?.[0] ?? {})).toEqual(shown);
      }
      expect(new Set(tables.get('sms_message')?.map(({ id }) => id)).size).toBe(MANY);
      expect(JSON.stringify([...tables])).not.toContain(other);
    });

    it('is erased except the columns that the rules keep, and no other customer’s is', async () => {
      const others = await everyRowOf(other);
      // The columns to be emptied in which any row has a text: whatever the rule puts there instead must not be the customer's.
      const texts = async () => {
        const found = new Set<string>();
        for (const { table, erase: rule } of customerTables)
          if (rule.how === 'blank')
            for (const row of await rowsOf(table, customerId))
              for (const name of Object.keys(rule.blanks))
                if (typeof row[name] === 'string') found.add(`${table}.${name}`);
        return [...found];
      };
      expect((await texts()).length).toBeGreaterThan(5);
      const erased = await erase(customerId);
      expect(await texts()).toEqual([]);
      expect(erased).toContainEqual({ table: 'sms_message', rows: MANY, done: 'deleted' });
      for (const { table, erase: rule } of customerTables) {
        const left = await rowsOf(table, customerId);
        if (rule.how === 'delete') expect({ table, left }).toEqual({ table, left: [] });
        else expect({ table, count: left.length > 0 }).toEqual({ table, count: true });
      }
      expect(await everyRowOf(other)).toEqual(others);
    });
  });

  it.each<[string, (customer: string) => Promise<unknown>]>([
    ['an invoice', (customer) => saveFakeInvoice(database.superuser, customer, { status: 'paid' })],
    [
      'an entry of the ledger',
      (customer) =>
        database.superuser.query(
          `insert into ai_ledger_entry (customer_id, id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
           values ($1, app.new_id(), 1, 'manual_adjustment', 'included', 1, 1, '2026-01', 'operator:test', now())`,
          [customer],
        ),
    ],
    [
      'entries that were carried forward',
      (customer) =>
        database.superuser.query(
          `insert into ai_ledger_carried (customer_id, bucket, balance, sequence, before) values ($1, 'included', 1, 1, now())`,
          [customer],
        ),
    ],
  ])('of a customer of whose books %s is left keeps the number, which another customer may have', async (_, save) => {
    const { id, organizationNumber } = await saveFakeCustomer(database.superuser, { active: false });
    await save(id);
    await erase(id);
    expect(await rowsOf('customer', id)).toMatchObject([{ organization_number: organizationNumber, email: '' }]);
    const again = { name: 'Fjordlys AS', organizationNumber, email: 'it@fjordlys.example' };
    const [line] = await operator.get(CustomerImportOperatorService).import(ACTOR, [{ line: 2, ...again }], true);
    expect(line).toMatchObject({ result: 'valid', problem: null });
    expect(await operator.get(CustomersOperatorService).create(ACTOR, again)).toMatchObject({ organizationNumber });
  });

  it('has no event that came while it was being erased', async () => {
    const { id } = await saveFakeCustomer(database.superuser, { active: false });
    await saveLargeTickets(database.superuser, id, 1);
    const release = await holdLock(database, 'select from support_ticket where customer_id = $1 for update', [id]);
    const erased = erase(id);
    await waitForLocks(database.superuser, 1);
    await database.superuser.query(`select app.record_event($1, 'ticket.replied', '{}', '{"body": "Kari"}')`, [id]);
    await release();
    await erased;
    expect(await rowsOf('event', id)).toEqual([]);
  });

  it('of a customer without any books is without its organisation number', async () => {
    const { id } = await saveFakeCustomer(database.superuser, { active: false });
    await erase(id);
    expect(await rowsOf('customer', id)).toMatchObject([{ organization_number: '', email: '' }]);
  });

  it('is exported as one JSON value, each row once, also of a table that takes several portions', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const rows = 1100;
    await database.superuser.query(
      `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway)
       select $1, gen_random_uuid(), '+4790000000', 'Acme', n::text, 1, 'GSM-7', '46elks' from generate_series(1, $2) n`,
      [id, rows],
    );
    let text = '';
    for await (const part of await operator.get(CustomerExportOperatorService).exportJson(ACTOR, id)) text += part;
    const tables = JSON.parse(text) as Record<string, Record<string, unknown>[]>;
    expect(Object.keys(tables).sort()).toEqual(customerTables.map(({ table }) => table).sort());
    expect(tables.customer).toMatchObject([{ id }]);
    expect(tables.sms_message).toHaveLength(rows);
    expect(new Set(tables.sms_message?.map(({ message }) => message)).size).toBe(rows);
  });

  it('is exported without the names of those to whom its tickets were assigned, in the audit too', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    for (const action of ['ticket.assign', 'ticket.unassign', 'ticket.set-status'])
      await database.superuser.query(
        `insert into audit_log (customer_id, actor, action, metadata) values ($1, $2, $3, $4)`,
        [id, ACTOR, action, { ticket_id: 't', from: 'kari', to: 'ola' }],
      );
    const audit = (await exported(id)).get('audit_log') ?? [];
    expect(audit.map(({ action, metadata }) => [action, metadata])).toEqual(
      expect.arrayContaining([
        ['ticket.assign', { ticket_id: 't' }],
        ['ticket.unassign', { ticket_id: 't' }],
        ['ticket.set-status', { ticket_id: 't', from: 'kari', to: 'ola' }],
      ]),
    );
  });

  it("is exported without the names of the operator's people who added credit, decided on it, or did anything else", async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const sql = (text: string) => database.superuser.query(text, [id]);
    await sql(
      `insert into ai_ledger_entry (customer_id, id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
       select $1, app.new_id(), n, 'refund', 'purchased', 1, 1, '2026-01', actor, now()
       from unnest('{operator:kari,worker}'::text[]) with ordinality a (actor, n)`,
    );
    await sql(
      `insert into ai_credit_request (customer_id, amount_nok, status, decided_by, decided_at, created_at)
       values ($1, 100, 'rejected', 'operator:kari', now(), now())`,
    );
    await sql(
      `insert into audit_log (customer_id, actor, action, metadata)
       values ($1, 'operator:ola', 'credit-request.approve-first', '{"amount_nok": "100", "replaces": "operator:kari"}'),
         ($1, 'token:x', 'ticket.close', '{}')`,
    );
    const tables = await exported(id);
    expect(JSON.stringify([...tables])).not.toMatch(/kari|ola/);
    expect(tables.get('ai_ledger_entry')?.map(({ actor }) => actor)).toEqual(['operator', 'worker']);
    expect(tables.get('ai_credit_request')).toMatchObject([{ status: 'rejected' }]);
    expect(tables.get('audit_log')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ actor: 'operator', metadata: { amount_nok: '100' } }),
        expect.objectContaining({ actor: 'token:x', action: 'ticket.close' }),
      ]),
    );
  });

  it('of nobody is neither exported nor erased', async () => {
    await expect(exported(randomUUID())).rejects.toThrow(/There is no customer/);
    await expect(erase(randomUUID())).rejects.toThrow(/There is no customer/);
  });
});
