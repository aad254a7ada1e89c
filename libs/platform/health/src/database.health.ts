import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseClockService } from '@platform/database';
import { ServiceError } from '@platform/errors';

const INTERVAL_MS = 1000;

/** Caches the answer to a question for a second. Callers that ask while a query is in progress share its answer. */
class OnceASecond<Answer> {
  private answer?: Promise<Answer>;
  private askedAt = -Infinity;
  private pending = false;

  constructor(private readonly question: () => Promise<Answer>) {}

  /** The answer, at most a second old unless the query takes longer than that. */
  ask(): Promise<Answer> {
    const fresh = this.pending || performance.now() - this.askedAt < INTERVAL_MS;
    if (this.answer && fresh) return this.answer;
    this.askedAt = performance.now();
    this.pending = true;
    this.answer = this.question().finally(() => (this.pending = false));
    return this.answer;
  }
}

/** Checks that the database answers and that its clock agrees with this process's clock. */
@Injectable()
export class DatabaseHealth {
  private readonly comparison: OnceASecond<string | undefined>;

  constructor(
    clock: DatabaseClockService,
    private readonly indicator: HealthIndicatorService,
  ) {
    this.comparison = new OnceASecond(() => clock.compare());
  }

  /** @throws ServiceError service_unavailable with the difference between the clocks */
  async check() {
    const indicator = this.indicator.check('database');
    const compared = await this.comparison.ask().then(
      (fault) => ({ fault }),
      () => undefined,
    );
    if (!compared) return indicator.down();
    if (compared.fault !== undefined) throw new ServiceError('service_unavailable', compared.fault);
    return indicator.up();
  }
}
