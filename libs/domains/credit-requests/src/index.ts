export { CREDIT_REQUEST_STATUSES, CreditRequest, type CreditRequestStatus } from './entities/credit-request.entity';
export { REJECTION_REASON_MAX } from './credit-request-values';
export {
  type ApprovedCreditRequest,
  CreditRequestsOperatorService,
  type CreditRequestFilter,
} from './operator/credit-requests-operator.service';
export { CreditRequestsOperatorModule } from './credit-requests-operator.module';
export {
  type CreditRequestRow,
  CreditRequestsService,
  type NewCreditRequest,
} from './customer/credit-requests.service';
export { CreditRequestsModule } from './credit-requests.module';
export { CreditRequestApproval } from './entities/credit-request-approval.entity';
export { ApprovalInvoiceNumbers1763683205500 } from './migrations/1763683205500-approval-invoice-numbers';
export { CreditRequestInbox1763683203100 } from './migrations/1763683203100-credit-request-inbox';
export { CreditRequestsSchema1763683200800 } from './migrations/1763683200800-credit-requests';
export { CreditRequestSearch1763683204700 } from './migrations/1763683204700-credit-request-search';
