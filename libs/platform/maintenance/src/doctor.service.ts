import { totalmem } from 'node:os';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig, type ConfigSection, configSections } from '@platform/config';
import { assertDatabaseFit, DatabaseClockService } from '@platform/database';
import { failed, off, ok, type Outcome, tryConnection, warning } from './installation-check';
import { MaintenanceOperatorService } from './maintenance-operator.service';

/** A check with its result. */
export interface Finding extends Outcome {
  check: string;
}

/** A check that a domain adds to those of the platform. */
interface DomainCheck {
  /** The settings that it is about. They give it its place among the findings. */
  section: ConfigSection;
  check: string;
  /** Looks for faults. An error counts as one. */
  look: () => Promise<Outcome>;
}

const GIGABYTE = 2 ** 30;
/** Memory that the containers' limits add up to by default, without monitoring and archive (see `docs/handbook/install.md`). */
const LEAST_MEMORY = 5.25 * GIGABYTE;
const LEAST_DISK = 5 * GIGABYTE;
const HOUR_S = 3600;
/** Oldest that the newest of daily backups is when all is well. */
const BACKUP_S = 36 * HOUR_S;
/** Least time that a certificate has left when its renewal works. */
const CERTIFICATE_DAYS = 14;

/**
 * Looks for the faults that a start does not show: credentials that are missing or refused, systems that cannot be reached, clocks,
 * memory, disk. It calls each system once, with a request that reads, costs nothing and sends nothing.
 */
@Injectable()
export class DoctorService {
  private readonly registered: DomainCheck[] = [];

  constructor(
    private readonly config: AppConfig,
    private readonly dataSource: DataSource,
    private readonly maintenance: MaintenanceOperatorService,
    private readonly databaseClock: DatabaseClockService,
  ) {}

  /** Adds a check. Domains do so when their modules start, in an order that differs between programs. */
  register(check: DomainCheck): void {
    this.registered.push(check);
  }

  /** All findings, one for each check; those of the domains in the order of the settings. */
  examine(): Promise<Finding[]> {
    const checks: [string, () => Promise<Outcome>][] = [
      ['database', () => this.database()],
      ['clock', () => this.clock()],
      ...Object.keys(configSections).flatMap((section) => this.checksOf(section)),
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

  private checksOf(section: string): [string, () => Promise<Outcome>][] {
    return this.registered.filter((one) => one.section === section).map(({ check, look }) => [check, look]);
  }

  private async database(): Promise<Outcome> {
    await assertDatabaseFit(this.dataSource, 'account_operator', this.config);
    const [{ version }] = await this.dataSource.query<[{ version: string }]>(
      `select current_setting('server_version') as version`,
    );
    return ok(`PostgreSQL ${version}, with the service's schema and rights`);
  }

  private async clock(): Promise<Outcome> {
    const fault = await this.databaseClock.compare();
    return fault === undefined ? ok("as the database's") : failed(`${fault}: synchronise the machine's clock (NTP)`);
  }

  private redis(): Promise<Outcome> {
    const { REDIS_URL } = this.config;
    return REDIS_URL === undefined
      ? Promise.resolve(off('REDIS_URL is not set: each replica counts for itself'))
      : tryConnection(REDIS_URL);
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
    const detail = `${gigabytes(bytes)}, ${hours(age)} ago`;
    if (age > BACKUP_S) return warning(detail);
    const scheduled = (await this.maintenance.scheduledBackupAge()) ?? 0;
    return scheduled > BACKUP_S ? warning(`${detail}; the scheduled one, ${hours(scheduled)} ago`) : ok(detail);
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

function hours(seconds: number): string {
  return `${(seconds / HOUR_S).toFixed(0)} hours`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / GIGABYTE).toFixed(1)} GB`;
}

function memory(): Outcome {
  const detail = `${gigabytes(totalmem())} on this machine`;
  return totalmem() < LEAST_MEMORY ? warning(`${detail}: less than the containers may take`) : ok(detail);
}
