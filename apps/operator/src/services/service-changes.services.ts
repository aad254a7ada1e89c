import { AiOperatorModule } from '@domains/ai';
import { ServiceChangesOperatorModule, ServiceChangesOperatorService } from '@domains/services';

export const modules = [ServiceChangesOperatorModule.with(AiOperatorModule)];
export const services = { serviceChanges: ServiceChangesOperatorService };
