import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { withinScrape } from './read-at-scrape';

/** The process's Prometheus metrics. Modules register their own here. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its reply; status 499: the client disconnected before it',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Records a request that has ended. @param route its pattern; undefined if no route matches */
  observeRequest(method: string, route: string | undefined, status: number, durationMs: number): void {
    this.requests.observe({ method, route: route ?? 'unknown', status }, durationMs / 1000);
  }

  /** All metrics in Prometheus's text format. @param timeoutSeconds when it gives the scrape up, if it says so */
  text(timeoutSeconds = NaN): Promise<string> {
    return withinScrape(timeoutSeconds, () => this.registry.metrics());
  }

  /** Adds a gauge of a boolean state, which is read at each scrape. */
  reportState(name: string, help: string, read: () => boolean | Promise<boolean>): void {
    this.reportNumber(name, help, async () => ((await read()) ? 1 : 0));
  }

  /** Adds a gauge of a number, which is read at each scrape. */
  reportNumber(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await read());
      },
    });
  }
}
