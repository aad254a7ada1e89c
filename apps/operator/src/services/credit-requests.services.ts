import { CreditRequestsOperatorModule, CreditRequestsOperatorService } from '@domains/credit-requests';

export const modules = [CreditRequestsOperatorModule];
export const services = { creditRequests: CreditRequestsOperatorService };
