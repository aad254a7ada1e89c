import { AiOperatorModule, AiUsageOperatorService } from '@domains/ai';
import { AppConfig } from '@platform/config';
import { findInLogFiles } from '@platform/logging';
import { RefusalsOperatorModule, RefusalsOperatorService } from '@platform/refusals';

export const modules = [RefusalsOperatorModule, AiOperatorModule];
export const services = { refusals: RefusalsOperatorService, records: AiUsageOperatorService, config: AppConfig };
export { findInLogFiles };
