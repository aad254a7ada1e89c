import { Injectable } from '@nestjs/common';
import { type CustomerStatement, EntityWritesService } from '@platform/database';
import { AuditLogEntry } from './entities/audit-log-entry.entity';

/** Records what customers do themselves: an entry is a statement of the action's own transaction. */
@Injectable()
export class CustomerAuditService {
  private readonly insert;

  constructor(writes: EntityWritesService) {
    this.insert = writes.insert(AuditLogEntry, {
      name: 'audit.record',
      given: ['actor', 'action', 'metadata'],
      made: { id: 'app.new_id()', createdAt: 'app.now()' },
    });
  }

  /** An entry of the customer in context. @param metadata must not contain secrets */
  entry(actor: string, action: string, metadata: Record<string, unknown>): CustomerStatement<object> {
    return this.insert({ actor, action, metadata });
  }
}
