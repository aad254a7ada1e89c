import { positive } from './types';

/** Defaults of the limits that `operator customer limits` overrides per customer. */
export const limits = {
  RATE_LIMIT_REQUESTS_PER_MINUTE: positive
    .default(600)
    .describe('requests a customer may make per minute, all routes together'),
  RATE_LIMIT_AI_PER_MINUTE: positive.default(120).describe('AI messages a customer may send per minute'),
  RATE_LIMIT_SMS_PER_MINUTE: positive.default(60).describe('SMS a customer may send per minute'),
  RATE_LIMIT_ADDRESS_PER_MINUTE: positive
    .default(6000)
    .describe('requests one network address may make per minute, before authentication'),
  PENDING_CREDIT_REQUESTS: positive.default(5).describe('credit requests a customer may have waiting'),
};
