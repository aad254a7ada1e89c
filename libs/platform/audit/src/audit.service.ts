import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLogEntry } from './entities/audit-log-entry.entity';

/** An action to record. `metadata` must not contain secrets. */
export interface AuditEntry {
  customerId: string;
  actor: string;
  action: string;
  metadata?: Record<string, unknown>;
}

/** A name as the operator API writes it: `cache_write_5m` for `cacheWrite5m`. Entries have one vocabulary, whoever writes them. */
const fieldName = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z\d])/g, '_').toLowerCase();

/** Records sensitive actions. */
@Injectable()
export class AuditService {
  /** Adds an entry in the transaction of the action: neither is stored without the other. */
  async record(manager: EntityManager, entry: AuditEntry): Promise<void> {
    const fields: [string, unknown][] = Object.entries(entry.metadata ?? {}).map(([name, value]) => [
      fieldName(name),
      value,
    ]);
    const values = {
      ...entry,
      metadata: Object.fromEntries(fields),
      id: () => 'app.new_id()',
      createdAt: () => 'app.now()',
    } as never;
    // Returns nothing: the API's role may insert entries, not select them.
    await manager.createQueryBuilder().insert().into(AuditLogEntry).values(values).updateEntity(false).execute();
  }
}
