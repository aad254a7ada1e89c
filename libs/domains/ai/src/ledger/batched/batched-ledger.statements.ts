import { prepared } from '@platform/database';

export const RESERVE = prepared('ai.reserve', 'select * from app.ai_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9)');

export const SETTLE = prepared('ai.settle', 'select * from app.ai_settle($1, $2, $3, $4, $5)');

export const RELEASE = prepared('ai.release', 'select * from app.ai_release($1, $2)');

export const UNLOCKED_ACCOUNTS = prepared(
  'ai.unlocked-accounts',
  'select app.ai_unlocked_accounts($1) as "customerId"',
);
