import 'reflect-metadata';
import { faker } from '@faker-js/faker';
import { takeViolations } from './conformance/violations';

faker.seed(Number(process.env.TEST_SEED));

// Whatever a test is about, replies and accepted requests are as openapi.json says.
afterEach(() => {
  const violations = takeViolations();
  if (violations.length > 0) throw new Error(`Not as openapi.json says:\n${violations.join('\n')}`);
});
