import os from 'node:os';
import type { DataSource } from 'typeorm';
import { loadConfig } from '@platform/config';
import type { DatabaseClockService } from '@platform/database';
import { DoctorService } from './doctor.service';
import type { ArchiveState, DiskState, MaintenanceOperatorService, NewestBackup } from './maintenance-operator.service';

const GB = 2 ** 30;
const HOUR_S = 3600;

/** The state of a machine that is not the one of the test. */
interface Machine {
  disk?: DiskState;
  backups?: NewestBackup[];
  scheduledAge?: number;
  archive?: ArchiveState;
  memory?: number;
  settings?: Record<string, string>;
}

/** The finding of a check. The database does not answer. */
async function find(check: string, { disk, backups, scheduledAge, archive, memory, settings }: Machine) {
  jest.spyOn(os, 'totalmem').mockReturnValue(memory ?? 8 * GB);
  const maintenance: Partial<MaintenanceOperatorService> = {
    disk: () => Promise.resolve(disk ?? { free: 50 * GB, size: 100 * GB }),
    newestBackups: () => Promise.resolve(backups ?? []),
    scheduledBackupAge: () => Promise.resolve(scheduledAge),
    archive: () => Promise.resolve(archive),
    certificate: () => Promise.resolve(undefined),
  };
  const away = { query: () => Promise.reject(new Error('away')) } as Partial<DataSource>;
  const clock: Partial<DatabaseClockService> = { compare: () => Promise.resolve(undefined) };
  const doctor = new DoctorService(
    loadConfig({ NODE_ENV: 'test', ...settings }),
    away as DataSource,
    maintenance as MaintenanceOperatorService,
    clock as DatabaseClockService,
  );
  const { result, detail } = (await doctor.examine()).find((finding) => finding.check === check) ?? {};
  return [result, detail];
}

describe('the doctor', () => {
  afterEach(() => jest.restoreAllMocks());

  it('takes the failure of a check for its finding', async () => {
    expect(await find('database', {})).toEqual(['failed', 'away']);
    expect(await find('clock', {})).toEqual(['ok', "as the database's"]);
  });

  it.each<[string, number, number, string]>([
    ['ok', 5, 50, '5.0 GB of 50.0 GB free'],
    ['warning', 4.9, 20, '4.9 GB of 20.0 GB free: without room PostgreSQL stops writing'],
    ['ok', 100, 1000, '100.0 GB of 1000.0 GB free'],
    ['warning', 99, 1000, '99.0 GB of 1000.0 GB free: without room PostgreSQL stops writing'],
  ])('finds the disk %s with %d of %d GB', async (result, free, size, detail) => {
    expect(await find('disk', { disk: { free: free * GB, size: size * GB } })).toEqual([result, detail]);
  });

  it.each<[string, number, string]>([
    ['ok', 5.25, '5.3 GB on this machine'],
    ['warning', 5.2, '5.2 GB on this machine: less than the containers may take'],
  ])('finds the memory %s with %d GB', async (result, memory, detail) => {
    expect(await find('memory', { memory: memory * GB })).toEqual([result, detail]);
  });

  it('judges the newest backup, of whatever kind', async () => {
    const dump = { kind: 'dump' as const, age: 40 * HOUR_S, bytes: GB, free: GB };
    const base = { kind: 'base' as const, age: 36 * HOUR_S, bytes: 2 * GB, free: GB };
    for (const backups of [
      [dump, base],
      [base, dump],
    ])
      expect(await find('backup', { backups })).toEqual(['ok', '2.0 GB, 36 hours ago']);
    const late = { ...base, age: base.age + 1 };
    expect(await find('backup', { backups: [dump, late] })).toEqual(['warning', '2.0 GB, 36 hours ago']);
  });

  it('misses the backup of a schedule, though others are made', async () => {
    const backups = [{ kind: 'base' as const, age: HOUR_S, bytes: 2 * GB, free: GB }];
    expect(await find('backup', { backups, scheduledAge: 36 * HOUR_S })).toEqual(['ok', '2.0 GB, 1 hours ago']);
    const detail = '2.0 GB, 1 hours ago; the scheduled one, 40 hours ago';
    expect(await find('backup', { backups, scheduledAge: 40 * HOUR_S })).toEqual(['warning', detail]);
  });

  it('asks for no backup of the data of a sandbox', async () => {
    expect(await find('backup', {})).toEqual(['warning', expect.stringContaining('none has been made')]);
    const settings = { SANDBOX_URL: 'http://127.0.0.1:9' };
    expect(await find('backup', { settings })).toEqual(['off', 'data of the sandbox']);
  });

  it('finds what waits for the archive, and whether that receives', async () => {
    const lag = 1.5 * GB;
    expect(await find('archive', { archive: { receiving: true, lag } })).toEqual([
      'ok',
      '1.5 GB of changes wait for it',
    ]);
    expect(await find('archive', { archive: { receiving: false, lag } })).toEqual([
      'failed',
      'it receives nothing, 1.5 GB of changes wait for it',
    ]);
  });
});
