import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { withinScrape } from './read-at-scrape';

/** The process's Prometheus metrics. Modules register their own here. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
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
