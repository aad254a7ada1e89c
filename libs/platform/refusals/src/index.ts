export { RefusedRequest } from './entities/refused-request.entity';
export { RefusedRequests1763683201300 } from './migrations/1763683201300-refused-requests';
export { type Refusal, RefusalRecorderService } from './refusal-recorder.service';
export { RefusalsModule } from './refusals.module';
export { RefusalsOperatorModule } from './refusals-operator.module';
export { type RefusalQuery, RefusalsOperatorService } from './refusals-operator.service';
