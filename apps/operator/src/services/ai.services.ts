import {
  AiAccountingOperatorService,
  AiConfigurationOperatorService,
  AiCreditOperatorService,
  AiOperatorModule,
  AiPricesOperatorService,
  AiUsageOperatorService,
  AiVerificationOperatorService,
} from '@domains/ai';

export const modules = [AiOperatorModule];
export const services = {
  accounting: AiAccountingOperatorService,
  configuration: AiConfigurationOperatorService,
  credit: AiCreditOperatorService,
  prices: AiPricesOperatorService,
  records: AiUsageOperatorService,
  verification: AiVerificationOperatorService,
};
