import { AiOperatorModule, RequestOutcomesOperatorService } from '@domains/ai';
import { RefusalsOperatorModule, RefusalsOperatorService } from '@platform/refusals';

export const modules = [RefusalsOperatorModule, AiOperatorModule];
export const services = { refusals: RefusalsOperatorService, outcomes: RequestOutcomesOperatorService };
