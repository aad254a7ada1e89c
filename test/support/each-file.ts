import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { takeViolations } from './conformance/violations';

// Applications that a test starts bring their own.
Logger.overrideLogger(false);

// In every test, replies and accepted requests must match openapi.json.
afterEach(() => {
  const violations = takeViolations();
  if (violations.length > 0) throw new Error(`Not as openapi.json says:\n${violations.join('\n')}`);
});
