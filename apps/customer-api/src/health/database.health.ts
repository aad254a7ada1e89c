import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { PipelinedConnections, prepared } from '@app/database';

const PING = prepared('health.ping', 'select 1');

/** Whether the database answers. */
@Injectable()
export class DatabaseHealth {
  constructor(
    private readonly pipeline: PipelinedConnections,
    private readonly indicator: HealthIndicatorService,
  ) {}

  async check() {
    const indicator = this.indicator.check('database');
    return this.pipeline.single(PING, []).then(
      () => indicator.up(),
      () => indicator.down(),
    );
  }
}
