import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { Public } from '@platform/access';
import { Draining } from '@platform/http';
import { DatabaseHealth } from './database.health';

/** Liveness and readiness for the operator's proxy and orchestrator. */
@ApiExcludeController()
@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicator: HealthIndicatorService,
    private readonly database: DatabaseHealth,
    private readonly draining: Draining,
  ) {}

  @Get('live')
  @Header('cache-control', 'no-store')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @HealthCheck()
  ready() {
    return this.health.check([() => this.accepting(), () => this.database.check()]);
  }

  /** Unhealthy while the process is draining. */
  private accepting() {
    const indicator = this.indicator.check('accepting_requests');
    return this.draining.active ? indicator.down() : indicator.up();
  }
}
