import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HttpModule } from '@platform/http';
import { DatabaseHealth } from './database.health';
import { HealthController } from './health.controller';

@Module({
  imports: [TerminusModule.forRoot({ logger: false }), HttpModule],
  controllers: [HealthController],
  providers: [DatabaseHealth],
})
export class HealthModule {}
