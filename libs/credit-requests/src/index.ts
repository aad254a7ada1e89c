export { AiOverview, type AiOverviewView, type AiStatus } from './ai-overview';
export { CREDIT_REQUEST_STATUSES, CreditRequest, type CreditRequestStatus } from './credit-request.entity';
export { CreditRequestDesk, type CreditRequestFilter } from './credit-request-desk';
export { CreditRequestDeskModule } from './credit-request-desk.module';
export type { CreditRequestRow } from './credit-request-view';
export { CreditRequests, type NewCreditRequest } from './credit-requests';
export { CreditRequestsModule } from './credit-requests.module';
