import { setTimeout as wait } from 'node:timers/promises';
import type { Scenario } from '../scenario';
import type { WatchedService } from '../watched-service';

/** A replica that is stopped for most of the time. */
export function starvedReplica(service: WatchedService): Scenario {
  return {
    cause: 'a process that gets no processor for most of the time',
    alerts: [{ alert: 'EventLoopBlocked' }, { alert: 'Overloaded' }],
    meanwhile: async () => {
      const { child } = service.replicas[1];
      const calls = Array.from({ length: 20 }, () => service.call(1, '/customer'));
      child.kill('SIGSTOP');
      await wait(700);
      child.kill('SIGCONT');
      await wait(100);
      void Promise.all(calls);
    },
  };
}

/** Connections that listen for changes of tokens do not live long. */
export function unheardTokens({ superuser }: WatchedService): Scenario {
  return {
    cause: 'nobody can listen for changes of tokens',
    alerts: [{ alert: 'TokenCacheUntrusted' }],
    meanwhile: async () => {
      for (let round = 0; round < 10; round++) {
        await superuser.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' or application_name = 'service_token_changes'`,
        );
        await wait(10);
      }
    },
  };
}

/** The worker alone does not reach its database, while the API has another fault. */
export function cutOffWorker(service: WatchedService): Scenario {
  const { superuser, links } = service;
  const [, link] = links;
  const openTicket = () => service.call(0, '/support/tickets', { title: 'A title', body: 'A body' });
  return {
    cause: 'a worker that does not reach its database',
    // JobsOverdue and CreditNotVerified, which follow from it, are inhibited.
    alerts: [
      { alert: 'DatabaseUnreachable', labels: { job: 'worker' } },
      { alert: 'RequestsFail', labels: { route: '/api/v1/support/tickets' } },
    ],
    provoke: async () => {
      link.down();
      await superuser.query(`
        create function no_tickets() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
        create trigger no_tickets before insert on support_ticket for each row execute function no_tickets()`);
    },
    meanwhile: openTicket,
    mend: async () => {
      link.up();
      await superuser.query('drop trigger no_tickets on support_ticket');
    },
    afterwards: openTicket,
  };
}

/** One of two replicas is dead. */
export function deadReplica(service: WatchedService): Scenario {
  return {
    cause: 'one of two replicas is dead',
    alerts: [{ alert: 'ReplicaDown' }],
    provoke: () => service.replicas[1].stop('SIGKILL'),
    mend: () => service.startReplica(1),
  };
}

/** All replicas are dead. */
export function deadService(service: WatchedService): Scenario {
  return {
    cause: 'all replicas are dead',
    alerts: [{ alert: 'ServiceDown' }],
    provoke: () => Promise.all(service.replicas.map((replica) => replica.stop('SIGKILL'))),
    mend: () => Promise.all([service.startReplica(0), service.startReplica(1)]),
  };
}

/** The worker is dead. */
export function deadWorker(service: WatchedService): Scenario {
  return {
    cause: 'the worker is dead',
    alerts: [{ alert: 'WorkerDown' }],
    provoke: () => service.worker.stop('SIGKILL'),
    mend: () => service.startWorker(),
  };
}

/** The operator API is dead. */
export function deadConsole(service: WatchedService): Scenario {
  return {
    cause: 'the operator console is dead',
    alerts: [{ alert: 'ConsoleDown' }],
    provoke: () => service.console.stop('SIGKILL'),
    mend: () => service.startConsole(),
  };
}
