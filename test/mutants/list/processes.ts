import type { Mutant } from '../mutant';

const SHUTDOWN = ['test/faults/shutdown'];

/** Programs that stop, jobs, health. */
export const processes: Mutant[] = [
  {
    name: 'shutdown: calls in flight are not waited for',
    file: 'libs/domains/ai/src/customer/messages/drain-calls.service.ts',
    find: 'await this.calls.drain(Math.max(0, this.config.SHUTDOWN_GRACE_MS - LAST_MS));',
    replace: 'await Promise.resolve();',
    specs: SHUTDOWN,
    test: 'calls of disconnected clients',
  },
  {
    name: 'shutdown: the process ends before the calls of disconnected clients',
    file: 'libs/domains/ai/src/customer/messages/calls-in-flight.service.ts',
    find: 'while (this.calls.size > 0) await Promise.all(this.calls);',
    replace: 'await Promise.resolve();',
    specs: SHUTDOWN,
    test: 'calls of disconnected clients',
  },
  {
    name: 'shutdown: what outlasts the grace time is never given up',
    file: 'libs/domains/ai/src/customer/messages/calls-in-flight.service.ts',
    find: '}, graceMs);',
    replace: '}, graceMs + 100_000);',
    specs: SHUTDOWN,
    test: 'outlast the grace time',
  },
  {
    name: 'shutdown: a job is not waited for',
    file: 'libs/platform/jobs/src/queue-consumer.ts',
    find: 'await endedWithin(ended, withinMs);',
    replace: 'void ended.catch(() => undefined);',
    specs: SHUTDOWN,
    test: 'a job of the worker',
  },
  {
    name: 'shutdown: a job that was cut short waits for its next turn',
    file: 'libs/platform/jobs/src/job-runner.service.ts',
    find: 'signal.aborted ? 0 : everyMs / 1000',
    replace: 'everyMs / 1000',
    specs: ['libs/platform/jobs', ...SHUTDOWN],
  },
  {
    name: 'shutdown: last uses of tokens are lost',
    file: 'libs/platform/tokens/src/authentication/token-use-recorder.service.ts',
    find: '      this.flush();\n      await this.writing;\n      if (this.uses.size === 0 || ',
    replace: '      await this.writing;\n      if (this.uses.size > 0 || ',
    specs: ['test/e2e/tokens'],
    test: 'on shutdown',
  },
  {
    name: 'jobs: a job that failed is not run again',
    file: 'libs/platform/jobs/src/job-runner.service.ts',
    find: '    await this.queue.enqueue(name,',
    replace: '    if (everyMs < 0) await this.queue.enqueue(name,',
    specs: ['libs/platform/jobs'],
  },
  {
    name: 'jobs: two workers are at one job',
    file: 'libs/platform/jobs/src/job-runner.service.ts',
    find: "unique: 'waiting'",
    replace: "unique: 'none' as never",
    specs: ['libs/platform/jobs'],
  },
  {
    name: 'health: a database that is away is ready',
    file: 'apps/customer-api/src/health/database.health.ts',
    find: 'if (!compared) return indicator.down();',
    replace: 'if (!compared) return indicator.up();',
    specs: ['test/e2e/clock', 'test/faults/database'],
    test: 'clock|answers 503 with Retry-After',
  },
  {
    name: 'health: a clock that is wrong is ready',
    file: 'apps/customer-api/src/health/database.health.ts',
    find: 'if (compared.fault !== undefined) throw',
    replace: 'if (compared.fault === "") throw',
    specs: ['test/e2e/clock'],
  },
];
