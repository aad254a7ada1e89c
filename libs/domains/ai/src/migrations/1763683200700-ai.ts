import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';
import { createAccountTables } from './account-tables';
import { createAiFunctions } from './ai-functions';
import { createCallTables } from './call-tables';
import { createCallTypes } from './call-types';
import { createLivenessTables } from './liveness-tables';
import { createVerificationTable } from './verification-table';

/** Prices, accounts, the calls and their ledger, and which processes live. */
export class AiSchema1763683200700 extends ForwardMigration {
  override readonly tables = [
    'ai_model_price',
    'ai_settings',
    'ai_account',
    'ai_reservation',
    'ai_usage',
    'ai_usage_day',
    'ai_ledger_entry',
    'ai_ledger_carried',
    'liveness_clock',
    'process_liveness',
    'ai_verification',
  ];

  override readonly delegatedFunctions = [
    'app.ai_reserve_for',
    'app.ai_settle_for',
    'app.ai_release_for',
    'app.ai_resolve_abandoned_call',
  ];

  override readonly delegatedLockTimeouts = {
    'app.ai_reserve_for': '250ms',
    'app.ai_settle_for': '250ms',
    'app.ai_release_for': '250ms',
  };

  async up(runner: QueryRunner): Promise<void> {
    await createAccountTables(runner);
    await createCallTables(runner);
    await createLivenessTables(runner);
    await createVerificationTable(runner);
    await createCallTypes(runner);
    await createAiFunctions(runner);
  }
}
