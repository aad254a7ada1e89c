import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { Draining } from '@platform/http';

/** Reports unhealthy while the process is draining. */
@Injectable()
export class DrainingHealth {
  constructor(
    private readonly draining: Draining,
    private readonly indicator: HealthIndicatorService,
  ) {}

  check() {
    const indicator = this.indicator.check('accepting_requests');
    return this.draining.active ? indicator.down() : indicator.up();
  }
}
