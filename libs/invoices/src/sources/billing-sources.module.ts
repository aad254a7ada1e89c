import { Module } from '@nestjs/common';
import { UpstreamModule } from '@app/upstream';
import { BillingSources } from './billing-sources';
import { FikenLane } from './fiken-lane.service';

/** The billing sources that are configured, and the way to them. */
@Module({ imports: [UpstreamModule], providers: [BillingSources, FikenLane], exports: [BillingSources] })
export class BillingSourcesModule {}
