import type { Scenario } from './scenario';
import {
  failingJob,
  oldInvoices,
  oldVerification,
  strayRow,
  troubledWebhooks,
  unreadQueues,
  waitingWork,
} from './scenarios/background.scenarios';
import { costlyCall, kroneTooMuch, stuckReservation, unknownOutcomes } from './scenarios/money.scenarios';
import {
  cutOffWorker,
  deadConsole,
  deadReplica,
  deadService,
  deadWorker,
  starvedReplica,
  unheardTokens,
} from './scenarios/process.scenarios';
import {
  deadRedis,
  fullDisk,
  fullRedis,
  lockedTable,
  oldBackup,
  silentDatabase,
  stoppedDatabase,
  stuckArchive,
  wrongClock,
} from './scenarios/surroundings.scenarios';
import { overloadedProvider, refusedKey, refusedSms, stoppedProvider } from './scenarios/upstream.scenarios';
import type { WatchedService } from './watched-service';

type MakeScenario = (service: WatchedService) => Scenario;

/** Scenarios by part: those of a part go on at the same time. */
export type Parts = Record<string, MakeScenario[]>;

/** In under half a minute. */
const sample: Parts = { 'a sample': [failingJob, kroneTooMuch, stuckReservation, overloadedProvider] };

/** What takes seconds, and kills nothing but Redis. */
const quick: Parts = {
  'in the books': [
    kroneTooMuch,
    failingJob,
    stuckReservation,
    unknownOutcomes,
    strayRow,
    oldInvoices,
    waitingWork,
    troubledWebhooks,
  ],
  'at other systems': [overloadedProvider, refusedKey, refusedSms, costlyCall, deadRedis],
  'in maintenance': [oldBackup, stuckArchive],
  'on the disk': [fullDisk],
};

const all: Parts = {
  ...quick,
  'at what is locked or full': [lockedTable, fullRedis],
  'in processes': [starvedReplica],
  'at the cache of tokens': [unheardTokens],
  'at the work of hours': [unreadQueues, oldVerification],
  'on the clock': [wrongClock],
  'at a database that is stopped': [stoppedDatabase],
  'at a database that hangs': [silentDatabase],
  'at a provider that is stopped': [stoppedProvider],
  'away for a while': [cutOffWorker, deadReplica],
  dead: [deadService, deadWorker, deadConsole],
};

/** What an operator names first, for the rules as they are. A full disk stops everything else: it is alone. */
const operator: Parts = {
  'what was named': [kroneTooMuch, failingJob, stuckReservation],
  'a disk that is full': [fullDisk],
  'a provider that is overloaded': [overloadedProvider],
  'no provider, no worker, a full Redis': [stoppedProvider, deadWorker, fullRedis],
  'no database': [stoppedDatabase],
};

/** By the value of `ALERTS`. */
export const SCENARIOS: Record<string, Parts> = { sample, quick, all, operator };

/**
 * What no scenario provokes, but promtool raises: a job that has not succeeded for two and a half hours of its process's
 * clock, three restarts within a window that is shorter here than a start, fewer replicas than for most of an hour, no backup for a
 * day, the whole machine's disk, and a certificate.
 */
export const NOT_PROVOKED = [
  'ProcessRestarts',
  'JobStale',
  'ReplicaMissing',
  'BackupMissing',
  'DiskFull',
  'CertificateEnds',
];
