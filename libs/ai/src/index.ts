export { AiModule } from './ai.module';
export { AiLedgerModule } from './ai-ledger.module';
export { AiOperatorModule } from './ai-operator.module';
export { BillingCalendar } from './billing-calendar';
export { Clock } from './clock';
export { AiVerification, type LedgerProblem } from './operator/ai-verification';
