import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { DatabaseClockService } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { OnceASecond } from './once-a-second';

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
