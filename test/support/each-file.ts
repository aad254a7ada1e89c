import 'reflect-metadata';
import { faker } from '@faker-js/faker';
import { takeViolations } from './conformance/violations';

faker.seed(Number(process.env.TEST_SEED));

// In every test, replies and accepted requests must match openapi.json.
afterEach(() => {
  const violations = takeViolations();
  if (violations.length > 0) throw new Error(`Not as openapi.json says:\n${violations.join('\n')}`);
});
