import {
  AiConfigurationOperatorService,
  AiCreditOperatorService,
  AiOperatorModule,
  AiPricesOperatorService,
  AiUsageOperatorService,
  AiVerificationOperatorService,
  ProviderKeysOperatorService,
} from '@domains/ai';

export const modules = [AiOperatorModule];
export const services = {
  configuration: AiConfigurationOperatorService,
  credit: AiCreditOperatorService,
  prices: AiPricesOperatorService,
  records: AiUsageOperatorService,
  verification: AiVerificationOperatorService,
  keys: ProviderKeysOperatorService,
};
