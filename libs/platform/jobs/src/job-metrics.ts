import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Metrics } from '@platform/metrics';

/**
 * How this process's runs of the jobs end, by job. Several workers share the jobs: failures add up, and the smallest age of
 * a success is the one that counts. The label is not `job`, which Prometheus itself gives to all that it scrapes.
 */
@Injectable()
export class JobMetrics {
  private readonly failures: Counter<'job_name'>;
  /** Per job that recurs, when it last succeeded here, or when this process took it up. */
  private readonly succeededAt = new Map<string, number>();

  constructor({ registry }: Metrics) {
    this.failures = new Counter({
      name: 'worker_job_failures_total',
      help: 'Runs of a job that failed, or that took longer than they may',
      labelNames: ['job_name'],
      registers: [registry],
    });
    const { succeededAt } = this;
    new Gauge({
      name: 'worker_job_last_success_seconds',
      help: 'Seconds since a run of a recurring job last succeeded in this process, or since its start; over workers, the least counts',
      labelNames: ['job_name'],
      registers: [registry],
      collect() {
        for (const [job, at] of succeededAt) this.set({ job_name: job }, (performance.now() - at) / 1000);
      },
    });
  }

  /** Shows the failures of a job from now on, though there are none yet. */
  show(job: string): void {
    this.failures.inc({ job_name: job }, 0);
  }

  /** Shows how long ago a job that recurs has succeeded. A queue that has nothing to do succeeds in nothing. */
  recurs(job: string): void {
    this.succeededAt.set(job, performance.now());
  }

  succeeded(job: string): void {
    if (this.succeededAt.has(job)) this.succeededAt.set(job, performance.now());
  }

  failed(job: string): void {
    this.failures.inc({ job_name: job });
  }
}
