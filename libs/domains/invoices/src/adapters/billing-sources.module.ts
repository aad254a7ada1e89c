import { Module } from '@nestjs/common';
import { UpstreamModule } from '@platform/upstream';
import { BillingSourcesService } from './billing-sources.service';
import { FikenLaneService } from './fiken/fiken-lane.service';

/** The configured billing sources. */
@Module({
  imports: [UpstreamModule],
  providers: [BillingSourcesService, FikenLaneService],
  exports: [BillingSourcesService],
})
export class BillingSourcesModule {}
