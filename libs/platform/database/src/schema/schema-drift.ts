import type { DataSource } from 'typeorm';

/** The statements that would make the database match the entities: none, as long as no migration is missing. */
export async function pendingSchemaChanges(dataSource: DataSource): Promise<string[]> {
  const changes = await dataSource.driver.createSchemaBuilder().log();
  return changes.upQueries.map(({ query }) => query);
}
