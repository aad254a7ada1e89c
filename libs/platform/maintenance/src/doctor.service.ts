import { connect } from 'node:net';
import { totalmem } from 'node:os';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';
import { assertDatabaseFit, databaseNow } from '@platform/database';
import { MaintenanceOperatorService } from './maintenance-operator.service';

/** The result of a check: `off` for a part that is not set up, `warning` for one that works and may not for long. */
export interface Finding {
  check: string;
  result: 'ok' | 'off' | 'warning' | 'failed';
  detail: string;
}

type Outcome = Omit<Finding, 'check'>;

/** Longest that another system may take to answer. */
const PATIENCE_MS = 10_000;
/** Most that the clocks may differ: more, and the API is not ready. */
const CLOCKS_MS = 5000;
const GIGABYTE = 2 ** 30;
/** Memory that the containers' limits add up to, without monitoring (see `docs/handbook/install.md`). */
const LEAST_MEMORY = 4 * GIGABYTE;
const LEAST_DISK = 5 * GIGABYTE;
const HOUR_S = 3600;
/** Oldest that the newest of daily backups is when all is well. */
const BACKUP_S = 36 * HOUR_S;
/** Least time that a certificate has left when its renewal works. */
const CERTIFICATE_DAYS = 14;

const ok = (detail: string): Outcome => ({ result: 'ok', detail });
const off = (detail: string): Outcome => ({ result: 'off', detail });
const warning = (detail: string): Outcome => ({ result: 'warning', detail });
const failed = (detail: string): Outcome => ({ result: 'failed', detail });

/**
 * Looks for the faults that a start does not show: credentials that are missing or refused, systems that cannot be reached, clocks,
 * memory, disk. It calls each system once, with a request that reads, costs nothing and sends nothing.
 */
@Injectable()
export class DoctorService {
  constructor(
    private readonly config: AppConfig,
    private readonly dataSource: DataSource,
    private readonly maintenance: MaintenanceOperatorService,
  ) {}

  /** All findings, one for each check. */
  examine(): Promise<Finding[]> {
    const checks: [string, () => Promise<Outcome>][] = [
      ['database', () => this.database()],
      ['clock', () => this.clock()],
      ['AI provider', () => this.aiProvider()],
      ['SMS gateway', () => this.smsGateway()],
      ['Stripe', () => this.stripe()],
      ['Fiken', () => this.fiken()],
      ['rate limits', () => this.redis()],
      ['memory', () => Promise.resolve(memory())],
      ['disk', () => this.disk()],
      ['backup', () => this.backup()],
      ['archive', () => this.archive()],
      ['certificate', () => this.certificate()],
    ];
    return Promise.all(
      checks.map(async ([check, look]) => ({
        check,
        ...(await look().catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)))),
      })),
    );
  }

  private async database(): Promise<Outcome> {
    await assertDatabaseFit(this.dataSource, 'account_operator');
    const [{ version }] = await this.dataSource.query<[{ version: string }]>(
      `select current_setting('server_version') as version`,
    );
    return ok(`PostgreSQL ${version}, with the service's schema and rights`);
  }

  private async clock(): Promise<Outcome> {
    // eslint-disable-next-line no-restricted-syntax -- this machine's clock is what is checked
    const differs = Math.abs(Date.now() - (await databaseNow(this.dataSource.manager)).getTime());
    const detail = `${(differs / 1000).toFixed(1)} s from the database's`;
    return differs > CLOCKS_MS ? failed(`${detail}: synchronise the machine's clock (NTP)`) : ok(detail);
  }

  private async aiProvider(): Promise<Outcome> {
    const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url = 'https://api.anthropic.com', SANDBOX_URL } = this.config;
    if (key === undefined && SANDBOX_URL !== undefined) return off('the sandbox answers AI messages');
    if (key === undefined) {
      const [{ without }] = await this.dataSource.query<[{ without: number }]>(
        'select count(*)::int as without from ai_settings where enabled and key_ciphertext is null',
      );
      const detail = 'ANTHROPIC_API_KEY is missing';
      return without === 0
        ? warning(`${detail}: only customers with a key of their own can use AI`)
        : failed(`${detail}: AI messages of ${without} customers without a key of their own fail`);
    }
    return ask(`${url}/v1/models?limit=1`, { 'x-api-key': key, 'anthropic-version': '2023-06-01' });
  }

  private async smsGateway(): Promise<Outcome> {
    const { SMS_GATEWAY, ELKS_URL, ELKS_USERNAME, LINK_URL, LINK_USERNAME, SANDBOX_URL } = this.config;
    const [url, username] = SMS_GATEWAY === '46elks' ? [ELKS_URL, ELKS_USERNAME] : [LINK_URL, LINK_USERNAME];
    if (username === undefined)
      return off(SANDBOX_URL === undefined ? `${SMS_GATEWAY} has no credentials` : 'the sandbox takes SMS');
    // A call with the credentials could send something.
    return reach(url);
  }

  private stripe(): Promise<Outcome> {
    const { STRIPE_URL, STRIPE_SECRET_KEY: key, SANDBOX_URL } = this.config;
    if (key === undefined) return Promise.resolve(withoutSource(SANDBOX_URL));
    return ask(`${STRIPE_URL}/v1/invoices?limit=1`, { authorization: `Bearer ${key}` });
  }

  private fiken(): Promise<Outcome> {
    const { FIKEN_URL, FIKEN_TOKEN: token, FIKEN_COMPANY: company, SANDBOX_URL } = this.config;
    if (token === undefined) return Promise.resolve(withoutSource(SANDBOX_URL));
    return ask(`${FIKEN_URL}/companies/${encodeURIComponent(company)}`, { authorization: `Bearer ${token}` });
  }

  private redis(): Promise<Outcome> {
    const { REDIS_URL } = this.config;
    return REDIS_URL === undefined
      ? Promise.resolve(off('REDIS_URL is not set: each replica counts for itself'))
      : reach(REDIS_URL);
  }

  private async disk(): Promise<Outcome> {
    const { free, size } = await this.maintenance.disk();
    const detail = `${gigabytes(free)} of ${gigabytes(size)} free`;
    return free < LEAST_DISK || free < size / 10
      ? warning(`${detail}: without room PostgreSQL stops writing`)
      : ok(detail);
  }

  private async backup(): Promise<Outcome> {
    const backups = await this.maintenance.newestBackups();
    if (backups.length === 0) {
      return this.config.SANDBOX_URL === undefined
        ? warning('none has been made: apps/operator/stack.sh schedule makes one every day')
        : off('data of the sandbox');
    }
    const { age, bytes } = backups.reduce((newest, backup) => (backup.age < newest.age ? backup : newest));
    const detail = `${gigabytes(bytes)}, ${(age / HOUR_S).toFixed(0)} hours ago`;
    return age > BACKUP_S ? warning(detail) : ok(detail);
  }

  private async archive(): Promise<Outcome> {
    const state = await this.maintenance.archive();
    if (state === undefined) return off('changes since the newest backup cannot be restored');
    const detail = `${gigabytes(state.lag)} of changes wait for it`;
    return state.receiving ? ok(detail) : failed(`it receives nothing, ${detail}`);
  }

  private async certificate(): Promise<Outcome> {
    const state = await this.maintenance.certificate();
    if (state === undefined) return off('PUBLIC_URL is not https');
    const days = Math.floor(state.endsIn / (24 * HOUR_S));
    if (days < 0) return failed(`it ended ${-days} days ago`);
    return days < CERTIFICATE_DAYS ? warning(`it ends in ${days} days`) : ok(`it ends in ${days} days`);
  }
}

function gigabytes(bytes: number): string {
  return `${(bytes / GIGABYTE).toFixed(1)} GB`;
}

function withoutSource(sandbox: string | undefined): Outcome {
  return off(sandbox === undefined ? 'no credentials: its invoices are not synced' : 'the sandbox has its invoices');
}

/** Makes a request that only reads. The reply's text is not shown: it may repeat the credentials. */
async function ask(url: string, headers: Record<string, string>): Promise<Outcome> {
  const { host } = new URL(url);
  try {
    const reply = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });
    await reply.body?.cancel();
    if (reply.ok) return ok(`${host} takes the credentials`);
    const refuses = reply.status === 401 || reply.status === 403;
    return failed(`${host} answers ${reply.status}${refuses ? ': it refuses the credentials' : ''}`);
  } catch (error) {
    return failed(`${host} cannot be reached (${codeOf(error)})`);
  }
}

/** Opens a connection, and closes it. */
function reach(url: string): Promise<Outcome> {
  const { hostname, host, port, protocol } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port || (protocol === 'https:' ? 443 : 6379)) });
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    socket.once('connect', () => {
      socket.destroy();
      resolve(ok(`${host} takes connections`));
    });
    socket.once('error', (error) => resolve(failed(`${host} cannot be reached (${codeOf(error)})`)));
  });
}

function codeOf(error: unknown): string {
  const { name, code, cause } = error as Error & { code?: string; cause?: { code?: string } };
  return code ?? cause?.code ?? name;
}

function memory(): Outcome {
  const detail = `${gigabytes(totalmem())} on this machine`;
  return totalmem() < LEAST_MEMORY ? warning(`${detail}: less than the containers may take`) : ok(detail);
}
