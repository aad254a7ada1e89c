import { AiOperatorModule, AiUsageOperatorService } from '@domains/ai';
import { RefusalsOperatorModule, RefusalsOperatorService } from '@platform/refusals';

export const modules = [RefusalsOperatorModule, AiOperatorModule];
export const services = { refusals: RefusalsOperatorService, records: AiUsageOperatorService };
