import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Client } from 'pg';
import { PipelinedConnectionsService, WriteConnectionsService } from '@platform/database';
import { customerOwnedTables } from './any-row';

/** Takes the third isolation layer away, to see whether the others stand without it. */
export async function withoutRowLevelSecurity(superuser: Client): Promise<void> {
  for (const table of await customerOwnedTables(superuser)) {
    await superuser.query(`alter table ${table} no force row level security`);
    await superuser.query(`alter table ${table} disable row level security`);
  }
}

/** Sets the connection of every read and write to this customer, whoever asks, until mocks are restored. */
export function setConnectionsTo(app: NestFastifyApplication, customerId: string): void {
  const connections = app.get(PipelinedConnectionsService);
  const realBatch = connections.batch.bind(connections);
  jest.spyOn(connections, 'batch').mockImplementation(() => {
    const batch = realBatch();
    const read: typeof batch.read = (_, ...statement) => batch.read(customerId, ...statement);
    return Object.assign(Object.create(batch) as typeof batch, { read });
  });
  const writes = app.get(WriteConnectionsService);
  const realWrite = writes.write.bind(writes);
  jest.spyOn(writes, 'write').mockImplementation((_, ...statements) => realWrite(customerId, ...statements));
}
