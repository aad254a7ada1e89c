import { enableAi, saveModelPrice } from '@test/ai-factories';
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

  it('of the AI ledger are so, too', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await enableAi(database.superuser, id, { model: await saveModelPrice(database.superuser), included: 5 });
    const { stdout } = await operatorCommand(database, ['ai', 'ledger', '--customer', id, '--format', 'wide']);
    expect(stdout.split('\n')[0]?.split(/ +/)).toEqual([
      ...['sequence', 'created_at', 'kind', 'bucket', 'amount', 'balance_after', 'note', 'month', 'usage_id'],
      ...['credit_request_id', 'invoice_id', 'actor'],
    ]);
  });

  // Of a list without rows a table says so, and CSV has its head all the same.
  it.each([
    ['account list', 'name,email,role,active,last_login_at,id,oidc_issuer,oidc_subject,created_at'],
    ['ai prices', 'model,valid_from,in_force,input,output,cache_write5m,cache_write1h,cache_read,example,created_at'],
    [
      'ai accounting --month 2026-01',
      'customer_number,customer,topped_up,refunded,adjusted,used_purchased,used_included,granted,expired,month,customer_id',
    ],
    [
      'ai unknown',
      'customer_number,customer,model,amount,resolved_at,id,reason,state,price_valid_from,input_tokens_bound,max_tokens,deadline,month,request_id,token_id,created_at,customer_id',
    ],
    ['ai verify --allow-empty --customer CUSTOMER', 'customer_number,customer,problem,found,expected,customer_id'],
    ['audit list', 'created_at,actor,action,customer_number,customer,metadata,customer_id,id'],
    [
      'credit-request list',
      'id,customer_number,customer,amount_nok,status,reference,note,created_at,reason,decided_by,decided_at,invoice_id,customer_id',
    ],
    ['customer list', 'customer_number,name,organization_number,email,active,id'],
    ['customer storage', 'customer_number,name,bytes,largest_day,id'],
    ['event list', 'created_at,type,customer_number,customer,reference,position,operator_only,record,id,customer_id'],
    [
      'invoice list',
      'number,customer_number,customer,status,amount_due,due_date,id,source,type,currency,amount,issue_date,paid_at,customer_id',
    ],
    [
      'invoice sync-status',
      'customer_number,customer,source,source_customer_id,succeeded_at,failures,last_error,stored,skipped,problems,due_at,queued_at,started_at,finished_at,failing_since,run_id,checkpoint,customer_id',
    ],
    [
      'request list',
      'created_at,customer_number,customer,status,code,route,detail,request_id,method,upstream,network,token_id,fingerprint,duration_ms,customer_id,id',
    ],
    ['service list --customer CUSTOMER', 'id,type,name,status,created_at,config,updated_at,customer_id'],
    [
      'sms log --customer CUSTOMER',
      'created_at,recipient,sender_id,status,error_code,message,id,segments,encoding,gateway,gateway_message_id,delivered_at,updated_at,customer_id',
    ],
    [
      'status list',
      'customer_number,customer,service_id,status,message,starts_at,id,ends_at,announcement_id,created_at,customer_id',
    ],
    [
      'ticket list',
      'customer_number,customer,title,status,unanswered,created_at,id,assignee,priority,body,service_id,resource_type,resource_id,updated_at,customer_id',
    ],
    [
      'token list --customer CUSTOMER',
      'name,scopes,active,expires_at,last_used_at,id,fingerprint,created_at,rotated_from,customer_id',
    ],
    [
      'webhook list',
      'customer_number,customer,url,event_types,failing_since,disabled_reason,id,description,scopes,disabled_at,queue_full,created_at,updated_at,customer_id',
    ],
    [
      'webhook deliveries --customer CUSTOMER',
      'event_type,state,attempts,last_status,last_error,next_attempt_at,created_at,id,endpoint_id,event_id,event_customer_id,bytes,queued_at,last_attempt_at,delivered_at,customer_id',
    ],
  ])('of %s are all there as CSV', async (line, head) => {
    const { id } = await saveFakeCustomer(database.superuser);
    const words = `${line} --csv`.replace('CUSTOMER', id).split(' ');
    const { code, stdout } = await operatorCommand(database, words);
    expect({ code, head: stdout.split('\r\n')[0]?.replace('\uFEFF', '') }).toEqual({ code: 0, head });
  });

  it.each(['ai usage', 'ai ledger'])(
    'of %s as CSV are of as many rows as --limit says, and behind that of --after',
    async (list) => {
      const { id } = await saveFakeCustomer(database.superuser);
      for (let sequence = 1; sequence <= 3; sequence++) {
        await saveFakeUsage(database.superuser, id);
        await database.superuser.query(
          `insert into ai_ledger_entry (customer_id, sequence, kind, bucket, amount, balance_after, month, actor, created_at)
         values ($1, $2, 'refund', 'purchased', 1, 1, '2026-01', 'operator:kari', now())`,
          [id, sequence],
        );
      }
      const rows = async (...more: string[]) => {
        const { stdout, stderr } = await operatorCommand(database, [
          ...list.split(' '),
          '--customer',
          id,
          '--csv',
          ...more,
        ]);
        return {
          keys: stdout
            .trim()
            .split('\r\n')
            .slice(1)
            .map((line) => line.split(',')[0] ?? ''),
          stderr,
        };
      };
      const { keys } = await rows();
      expect(keys).toHaveLength(3);
      const [first = '', second = ''] = keys;
      expect(await rows('--limit', '2')).toEqual({
        keys: keys.slice(0, 2),
        stderr: `There is more: continue with --after ${second}, or raise --limit\n`,
      });
      expect(await rows('--after', first)).toEqual({ keys: keys.slice(1), stderr: '' });
      expect(await rows('--after', first, '--limit', '2')).toEqual({ keys: keys.slice(1), stderr: '' });
    },
  );

  it('of texts keep what looks like an amount, and those of amounts lose the zeros at their end', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await database.superuser.query(
      `insert into ai_credit_request (customer_id, amount_nok, reference, note, created_at) values ($1, 700.50, '47.110', '1.5000000', now())`,
      [id],
    );
    const list = async (format: string) => {
      const words = ['credit-request', 'list', '--customer', id, '-o', format];
      return (await operatorCommand(database, words)).stdout;
    };
    expect(await list('csv')).toContain(',700.5,pending,47.110,1.5000000,');
    expect(await list('table')).toMatch(/ 47\.110 +1\.5000000 /);
  });

  it('of refused requests show codes whole, and the ids if they are wide', async () => {
    const { id } = await saveFakeCustomer(database.superuser, { name: 'A name of several words that is long AS' });
    const code = 'idempotency_key_in_progress';
    await database.superuser.query(
      `insert into refused_request (customer_id, id, request_id, network, method, route, status, code, detail, duration_ms, created_at)
       values ($1, gen_random_uuid(), $2, '127.0.0.1', 'POST', '/api/v1/support/tickets/:id/replies', 409, $3, $4, 1, now())`,
      [id, 'b1946ac9-2492-4d22-a474-e1b2c0d0e0f0', code, 'Another request with this key is in progress'.repeat(3)],
    );
    const list = async (format: string) =>
      (await operatorCommand(database, ['request', 'list', '--customer', id, '-o', format])).stdout
        .trimEnd()
        .split('\n');
    const table = await list('table');
    // A line of names and one for each record, with its customer's number and as much of its name as there is room for.
    expect(table).toHaveLength(2);
    expect(table[1]).toContain(` ${code} `);
    const { rows } = await database.superuser.query<{ number: string }>(
      'select customer_number as number from customer where id = $1',
      [id],
    );
    expect(table[1]).toMatch(new RegExp(` ${rows[0]?.number} +A name `));
    expect(table.filter((line) => line.length > 120)).toEqual([]);
    expect((await list('wide'))[1]).toContain('b1946ac9-2492-4d22-a474-e1b2c0d0e0f0');
    const one = await operatorCommand(database, [
      'request',
      'show',
      '--id',
      'b1946ac9-2492-4d22-a474-e1b2c0d0e0f0',
      '--csv',
    ]);
    expect(one.stdout.split('\r\n')[0]?.replace('\uFEFF', '').split(',')).toEqual([
      ...[
        'created_at',
        'customer_number',
        'customer',
        'outcome',
        'code',
        'charged',
        'detail',
        'status',
        'method',
        'route',
      ],
      ...['upstream', 'model', 'uncovered', 'provider_request_id', 'network', 'token_id', 'fingerprint', 'duration_ms'],
      ...['customer_id', 'id'],
    ]);
  });

  it('of an import and of an erasure name the results', async () => {
    const imported = await operatorCommand(database, ['customer', 'import', '--file', '-', '--csv', '--dry-run'], {
      input: 'name,org_number,email\nLys AS,889640782,post@lys.example\n',
    });
    expect(imported.stdout).toMatch(/^\uFEFF?line,result,customer_number,name,problem,id\r\n2,valid,/);
    const { id } = await saveFakeCustomer(database.superuser, { active: false });
    const erased = await operatorCommand(database, ['customer', 'erase', '--customer', id, '--dry-run', '--csv']);
    expect(erased.stdout).toMatch(/^\uFEFF?table,rows,done\r\ncustomer,/);
  });
});
