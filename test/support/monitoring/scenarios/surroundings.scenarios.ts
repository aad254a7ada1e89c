import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { setDatabaseClock } from '../../database-clock';
import type { Scenario } from '../scenario';
import type { WatchedService } from '../watched-service';

const LOCKED_MS = 4_000;

const bothReplicas = (service: WatchedService) => () =>
  Promise.all([service.call(0, '/customer'), service.call(1, '/customer')]);

/** PostgreSQL cannot store another page. Where nobody may mount a small disk, it is made to say so. */
export function fullDisk(service: WatchedService): Scenario {
  const { disk, superuser } = service;
  // Nothing that could be compressed.
  const body = () => randomBytes(2_400).toString('hex');
  return {
    cause: disk ? 'a full disk' : 'a full disk (PostgreSQL only says so: nobody but root can mount a small one)',
    alerts: [
      { alert: 'DatabaseRefuses', labels: { reason: 'disk_full' } },
      { alert: 'RequestsFail', labels: { route: '/api/v1/support/tickets' } },
    ],
    provoke: async () =>
      disk
        ? disk.fill()
        : superuser.query(`
            create function full_disk() returns trigger language plpgsql as
              $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
            create trigger full_disk before insert on support_ticket for each row execute function full_disk()`),
    meanwhile: () => service.call(0, '/support/tickets', { title: 'A title', body: body() }),
    mend: async () => (disk ? disk.clear() : superuser.query('drop trigger full_disk on support_ticket')),
    afterwards: () => service.call(0, '/support/tickets', { title: 'A title', body: 'There is room again' }),
  };
}

/** PostgreSQL closes all connections of the service, and every new one. */
export function stoppedDatabase(service: WatchedService): Scenario {
  return {
    cause: 'PostgreSQL is stopped',
    alerts: [
      { alert: 'DatabaseUnreachable', labels: { job: 'api' } },
      { alert: 'DatabaseUnreachable', labels: { job: 'worker' } },
      // RequestsFail is inhibited.
    ],
    provoke: async () => service.links.forEach((link) => link.down()),
    meanwhile: bothReplicas(service),
    mend: async () => service.links.forEach((link) => link.up()),
    afterwards: bothReplicas(service),
  };
}

/** PostgreSQL takes statements and says nothing; connections stay open. */
export function silentDatabase(service: WatchedService): Scenario {
  return {
    cause: 'PostgreSQL hangs',
    alerts: [
      { alert: 'DatabaseUnreachable', labels: { job: 'api' } },
      { alert: 'DatabaseUnreachable', labels: { job: 'worker' } },
    ],
    provoke: async () => service.links.forEach((link) => link.hang()),
    mend: async () => service.links.forEach((link) => link.up()),
  };
}

/** A table that others lock for seconds: what reads it waits, and what is sent behind it. */
export function lockedTable(service: WatchedService): Scenario {
  return {
    cause: 'a table that others lock for seconds',
    alerts: [{ alert: 'RequestsSlow', labels: { route: '/api/v1/services' } }, { alert: 'DatabaseWaits' }],
    meanwhile: async () => {
      // On a connection of its own: the others' statements would wait, too.
      const locker = new Client({ connectionString: service.databaseUrl });
      await locker.connect();
      await locker.query('begin');
      await locker.query('lock table customer_service in access exclusive mode');
      const slow: Promise<unknown>[] = [];
      for (const until = performance.now() + LOCKED_MS; performance.now() < until; await wait(LOCKED_MS / 20))
        slow.push(service.call(0, '/services'));
      await locker.end();
      await Promise.all(slow);
    },
  };
}

/** Redis is dead. */
export function deadRedis(service: WatchedService): Scenario {
  return {
    cause: 'Redis is away',
    alerts: [{ alert: 'RateLimitsDegraded' }],
    provoke: () => service.redis.kill(),
    meanwhile: bothReplicas(service),
    mend: () => service.redis.restart(),
    afterwards: bothReplicas(service),
  };
}

/** Redis answers, and has no memory for another count. */
export function fullRedis(service: WatchedService): Scenario {
  return {
    cause: 'the memory of Redis is full',
    alerts: [{ alert: 'RateLimitsDegraded' }],
    provoke: () => service.redis.limitMemory(1),
    meanwhile: bothReplicas(service),
    mend: () => service.redis.limitMemory(0),
    afterwards: bothReplicas(service),
  };
}

/** The database's clock is a minute ahead. */
export function wrongClock({ superuser }: WatchedService): Scenario {
  return {
    cause: 'a clock that is wrong by a minute',
    alerts: [{ alert: 'ClockWrong' }],
    provoke: () => setDatabaseClock(superuser, { aheadBy: '1 minute' }),
    mend: () => setDatabaseClock(superuser, 'right'),
  };
}

/** The newest backup is two days old, and left less room than it takes. */
export function oldBackup({ superuser }: WatchedService): Scenario {
  return {
    cause: 'no backup for two days, on a disk that is full',
    alerts: [{ alert: 'BackupOld' }, { alert: 'BackupDiskFull', labels: { kind: 'dump' } }],
    provoke: () =>
      superuser.query(
        `insert into backup (kind, bytes, free_bytes, completed_at) values ('dump', 1000, 1, now() - interval '2 days')`,
      ),
    mend: () => superuser.query(`insert into backup (kind, bytes, free_bytes) values ('dump', 1000, 1000000)`),
  };
}

/** The archive of changes is stopped: nobody takes them from its slot. */
export function stuckArchive({ superuser }: WatchedService): Scenario {
  return {
    cause: 'an archive that is stopped',
    alerts: [{ alert: 'ArchiveStuck' }],
    provoke: () => superuser.query(`select pg_create_physical_replication_slot('archive', true)`),
    mend: () => superuser.query(`select pg_drop_replication_slot('archive')`),
  };
}
