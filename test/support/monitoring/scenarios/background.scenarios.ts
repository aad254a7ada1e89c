import { randomUUID } from 'node:crypto';
import { saveFakeBillingAccount } from '../../factories/invoice.factory';
import type { Scenario } from '../scenario';
import type { WatchedService } from '../watched-service';

/** A job that may not read its table any more. */
export function failingJob({ superuser }: WatchedService): Scenario {
  return {
    cause: 'a job that fails',
    alerts: [{ alert: 'JobFails', labels: { job_name: 'idempotency.complete-overdue-keys' } }],
    provoke: () => superuser.query('revoke select on idempotency_key from account_operator'),
    mend: () => superuser.query('grant select on idempotency_key to account_operator'),
  };
}

/** A row whose id is of a month without a partition. */
export function strayRow(service: WatchedService): Scenario {
  const { superuser } = service;
  let stray = '';
  return {
    cause: 'a row of a month that has no partition',
    alerts: [{ alert: 'RowsInNoMonth', labels: { table: 'audit_log' } }],
    provoke: async () => {
      const { rows } = await superuser.query<{ id: string }>(
        `insert into audit_log (customer_id, id, actor, action) values ($1, app.first_id(now() + interval '5 years'), 'a', 'b')
         returning id`,
        [randomUUID()],
      );
      stray = rows[0]?.id ?? '';
    },
    meanwhile: () => service.hasten('database.partitions'),
    mend: () => superuser.query('delete from audit_log where id = $1', [stray]),
    afterwards: () => service.hasten('database.partitions'),
  };
}

/** A billing source that fails, for an account that was linked two hours ago. */
export function oldInvoices({ superuser, sandbox, customerId }: WatchedService): Scenario {
  return {
    cause: 'a billing system that answers 503',
    alerts: [{ alert: 'InvoicesOld', labels: { source: 'fiken' } }],
    provoke: async () => {
      sandbox.fiken.always({ status: 503 });
      await saveFakeBillingAccount(superuser, customerId, 'fiken', '1001');
      await superuser.query(`update billing_account set created_at = now() - interval '2 hours'`);
      await superuser.query(`insert into invoice_sync (customer_id, source) values ($1, 'fiken')`, [customerId]);
    },
    mend: async () => {
      sandbox.fiken.always();
      await superuser.query('update invoice_sync set due_at = now(), queued_at = null');
    },
    afterwards: () => superuser.query('update invoice_sync set due_at = now() where succeeded_at is null'),
  };
}

/** An item of a queue that no worker serves, due for ten minutes. */
export function waitingWork({ superuser }: WatchedService): Scenario {
  const queue = 'test.nobody';
  return {
    cause: 'work that no worker takes',
    alerts: [{ alert: 'QueueGrows', labels: { queue } }],
    provoke: async () => {
      await superuser.query(`select pgboss.create_queue($1, '{"policy":"standard"}')`, [queue]);
      await superuser.query(`insert into pgboss.job (name, start_after) values ($1, now() - interval '10 minutes')`, [
        queue,
      ]);
    },
    mend: () => superuser.query('delete from pgboss.job where name = $1', [queue]),
  };
}
