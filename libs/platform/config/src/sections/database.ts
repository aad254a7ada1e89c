import { z } from 'zod';
import { partitions } from './partitions';
import { retention } from './retention';
import { positive } from './types';

/** PostgreSQL (15 or later), how long it keeps rows, and Redis/Valkey. */
export const database = {
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// address')
    .optional()
    .describe('PostgreSQL to use; default: the database of the running npm start'),
  DATABASE_POOL_SIZE: positive.default(10).describe('connections for writes and transactions, per process'),
  DATABASE_PIPELINES: positive
    .default(2)
    .describe('pipelined connections shared by single statements and reads, per process'),
  DATABASE_STATEMENT_TIMEOUT_MS: positive.default(5000).describe('longest a statement may take'),
  ...partitions,
  ...retention,
  REDIS_URL: z
    .string()
    .regex(/^(rediss?|valkeys?):\/\//, 'must be a redis:// address')
    .optional()
    .describe('Redis or Valkey that shares rate limit counts between replicas; default: counts are per process'),
};
