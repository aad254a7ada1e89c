import { randomUUID } from 'node:crypto';
import { saveFakeBillingAccount } from '../../factories/invoice.factory';
import { saveFakeDelivery, saveFakeEndpoint } from '../../factories/webhook.factory';
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

/** Queues that the worker may not read any more. */
export function unreadQueues({ superuser }: WatchedService): Scenario {
  return {
    cause: 'queues that the worker cannot read',
    alerts: [{ alert: 'JobsOverdue' }],
    provoke: () => superuser.query('revoke usage on schema pgboss from account_operator'),
    mend: () => superuser.query('grant usage on schema pgboss to account_operator'),
  };
}

/** The last verification of AI credit is four hours old. */
export function oldVerification({ superuser }: WatchedService): Scenario {
  return {
    cause: 'AI credit that nobody has verified for four hours',
    alerts: [{ alert: 'CreditNotVerified' }],
    provoke: () => superuser.query(`update ai_verification set finished_at = now() - interval '4 hours'`),
    mend: () => superuser.query('update ai_verification set finished_at = now()'),
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

/** An item that no worker fetches, due for ten minutes. */
export function waitingWork({ superuser }: WatchedService): Scenario {
  const queue = 'invoices.sync-fiken';
  return {
    cause: 'work that no worker takes',
    alerts: [{ alert: 'QueueGrows', labels: { queue } }],
    provoke: async () => {
      await superuser.query(
        `insert into pgboss.job (name, blocked, start_after) values ($1, true, now() - interval '10 minutes')`,
        [queue],
      );
    },
    mend: () => superuser.query('delete from pgboss.job where name = $1 and blocked', [queue]),
  };
}

/** Endpoints that fail, one that gets nothing new, and a delivery whose run was begun by a worker that does not go on with it. */
export function troubledWebhooks({ superuser, customerId }: WatchedService): Scenario {
  const full = () => superuser.query('update webhook_endpoint set queue_full = true where failing_since is null');
  return {
    cause: 'webhook endpoints that fail, and deliveries that wait',
    alerts: [{ alert: 'WebhooksLate' }, { alert: 'WebhooksFail' }, { alert: 'WebhooksMissed' }],
    provoke: async () => {
      for (let count = 0; count < 4; count++) await saveFakeEndpoint(superuser, customerId);
      await superuser.query('update webhook_endpoint set failing_since = now()');
      const { endpointId } = await saveFakeDelivery(superuser, customerId);
      await superuser.query(
        `insert into pgboss.job (name, singleton_key, policy, state, started_on, expire_seconds)
         values ('webhooks.deliver', $1, 'exclusive', 'active', now(), 86400)`,
        [`${customerId}/${endpointId}`],
      );
      await superuser.query(
        `update webhook_delivery set state = 'pending', attempts = 0, next_attempt_at = now() - interval '10 minutes'
         where endpoint_id = $1`,
        [endpointId],
      );
    },
    // A worker measures anew every few seconds.
    meanwhile: full,
    mend: async () => {
      await superuser.query('delete from webhook_endpoint');
      await superuser.query(`delete from pgboss.job where name = 'webhooks.deliver'`);
    },
  };
}
