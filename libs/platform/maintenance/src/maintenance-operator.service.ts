import { statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '@platform/config';

/** Longest that the handshake may take. */
const HANDSHAKE_MS = 5000;

/** The newest backup of a kind. */
export interface NewestBackup {
  /** `dump`: the database at one moment. `base`: a base backup in the archive of all changes. */
  kind: 'dump' | 'base';
  /** Seconds since it was completed. */
  age: number;
  bytes: number;
  /** Bytes that were left on its disk. */
  free: number;
}

/** The archive of all changes. */
export interface ArchiveState {
  /** Whether it receives changes now. */
  receiving: boolean;
  /** Bytes that the database keeps for it; at 4 GB it drops them, and the archive has a gap. */
  lag: number;
}

/** The disk of this process: in a container that of the engine, which has the database's volume too. */
export interface DiskState {
  free: number;
  size: number;
}

export interface CertificateState {
  /** Seconds until it ends; less than 0 when it has. */
  endsIn: number;
}

/** What the service needs and does not do by itself: backups, room on the disk, a certificate that is valid. */
@Injectable()
export class MaintenanceOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  /** The newest backup of each kind; none of a kind that was never made. */
  newestBackups(): Promise<NewestBackup[]> {
    return this.dataSource.query(`
      select distinct on (kind) kind, extract(epoch from now() - completed_at)::float8 as age, bytes::float8, free_bytes::float8 as free
      from backup order by kind, completed_at desc`);
  }

  /** Seconds since the newest backup that the machine's schedule made; undefined without a schedule. */
  async scheduledBackupAge(): Promise<number | undefined> {
    const [{ age }] = await this.dataSource.query<[{ age: number | null }]>(
      'select extract(epoch from now() - max(completed_at))::float8 as age from backup where scheduled',
    );
    return age ?? undefined;
  }

  /** The archive; undefined when there is none. */
  async archive(): Promise<ArchiveState | undefined> {
    const [state] = await this.dataSource.query<ArchiveState[]>(`
      select active as receiving, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as lag
      from pg_replication_slots where slot_name = 'archive'`);
    return state;
  }

  async disk(): Promise<DiskState> {
    const { bavail, bsize, blocks } = await statfs('/');
    return { free: bavail * bsize, size: blocks * bsize };
  }

  /**
   * The certificate that customers are shown at `PUBLIC_URL`; undefined when that is not https.
   * @throws when no connection can be made
   */
  async certificate(): Promise<CertificateState | undefined> {
    const { protocol, hostname, port } = new URL(this.config.PUBLIC_URL ?? 'http://localhost');
    if (protocol !== 'https:') return undefined;
    const host = hostname.replaceAll(/[[\]]/g, '');
    return new Promise((resolve, reject) => {
      const socket = connect({
        host,
        port: Number(port || 443),
        // As customers' programs do: none for an address.
        ...(isIP(host) === 0 && { servername: host }),
        // One that has ended is to be told, not refused.
        rejectUnauthorized: false,
      });
      socket.setTimeout(HANDSHAKE_MS, () => socket.destroy(new Error(`no handshake within ${HANDSHAKE_MS} ms`)));
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        const { valid_to: end } = socket.getPeerCertificate();
        socket.destroy();
        // eslint-disable-next-line no-restricted-syntax -- certificates are compared with this machine's clock
        resolve({ endsIn: (Date.parse(end) - Date.now()) / 1000 });
      });
    });
  }
}
