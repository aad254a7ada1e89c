import { AiAccountingOperatorService, AiOperatorModule } from '@domains/ai';

export const modules = [AiOperatorModule];
export const services = { accounting: AiAccountingOperatorService };
