import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { DataSource, DefaultNamingStrategy } from 'typeorm';
import { EntityReadsService, PipelinedConnectionsService } from '@platform/database';
import { useTestDatabase } from '@test/use-test-database';
import { AppModule } from '../../apps/customer-api/src/app.module';

const PREFIX = 'renamed_';

/** Names every column differently, as if each entity had been changed. */
class RenamedColumns extends DefaultNamingStrategy {
  override columnName(property: string, name: string | undefined): string {
    return PREFIX + (name ?? property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  }
}

const database = useTestDatabase();

describe('the reads of the customer API', () => {
  const refused = async (reads: EntityReadsService) => {
    const names: string[] = [];
    for (const { name, text } of reads.defined) {
      const failure = await database.superuser
        .query(`prepare "${name}" as ${text}`)
        .catch((error: unknown) => error as Error);
      if (failure instanceof Error) names.push(`${name}: ${failure.message}`);
      else await database.superuser.query(`deallocate "${name}"`);
    }
    return names;
  };
  const compile = async (reads?: EntityReadsService) => {
    const builder = Test.createTestingModule({ imports: [AppModule.with(database.config)] });
    if (reads) builder.overrideProvider(EntityReadsService).useValue(reads);
    return (await builder.compile()).createNestApplication(new FastifyAdapter(), { logger: false });
  };

  it('follow the entities, whatever the columns are called', async () => {
    const app = await compile();
    const { defined } = app.get(EntityReadsService);
    expect(defined.length).toBeGreaterThan(10);
    expect(await refused(app.get(EntityReadsService))).toEqual([]);

    const { options, entityMetadatas } = app.get(DataSource);
    const entities = entityMetadatas.map(({ target }) => target);
    const namingStrategy = new RenamedColumns();
    const renamed = await new DataSource({ ...options, entities, namingStrategy }).initialize();
    for (const { tableName, columns } of renamed.entityMetadatas) {
      for (const { databaseName } of columns) {
        const former = databaseName.slice(PREFIX.length);
        await database.superuser.query(`alter table "${tableName}" rename column "${former}" to "${databaseName}"`);
      }
    }
    expect(await refused(app.get(EntityReadsService))).toHaveLength(defined.length);
    const reads = new EntityReadsService(renamed);
    const renamedApp = await compile(reads);
    expect(new Set(reads.defined.map(({ name }) => name))).toEqual(new Set(defined.map(({ name }) => name)));
    expect(await refused(reads)).toEqual([]);
    await Promise.all([renamed.destroy(), app.close(), renamedApp.close()]);
  });

  it('are refused at start when they name a property that the entity does not have', async () => {
    const app = await compile();
    const reads = app.get(EntityReadsService);
    const [{ target } = {}] = app.get(DataSource).entityMetadatas;
    const read = { name: 'test.unknown', select: ['nothing' as never], by: [] };
    expect(() => reads.find(target as new () => object, read)).toThrow('has no column for nothing');
    await app.close();
  });

  it('fail when their rows have other columns than they say', async () => {
    const app = await compile();
    const read = app.get(EntityReadsService).statement('test.columns', 'select 1, 2', { one: Number });
    const rows = app.get(PipelinedConnectionsService).batch().read('0d9f1c1e-58a8-4c0b-9a55-0a4f6d1f7c10', read, []);
    await expect(rows).rejects.toThrow('test.columns');
    await app.close();
  });
});
