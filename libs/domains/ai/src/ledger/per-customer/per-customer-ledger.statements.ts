import { prepared } from '@platform/database';

export const RESERVE_FOR = prepared('ai.reserve-for', 'select * from app.ai_reserve_for($1, $2, $3, $4, $5, $6, $7)');

export const SETTLE_FOR = prepared('ai.settle-for', 'select * from app.ai_settle_for($1, $2, $3, $4, $5)');

export const RELEASE_FOR = prepared('ai.release-for', 'select * from app.ai_release_for($1, $2)');

export const UNLOCKED_ACCOUNT = prepared('ai.unlocked-account', 'select * from app.ai_unlocked_account($1)');
