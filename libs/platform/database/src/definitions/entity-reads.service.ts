import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Decoder } from './decoders';
import { EntityTable, type ReadRow } from './entity-table';
import { KeysetList, type Placed } from './keyset-list';
import type { KeysetFilter } from './keyset-statement';
import { type Columns, type ReadStatement, readStatement } from './read-statement';

/** An entity's class. */
type EntityClass<Entity> = new () => Entity;

/** An entity whose rows are a customer's, and have a place in a list. */
interface Listed {
  customerId: string;
  id: string | number;
  createdAt: Date;
}

/** Something that a row has besides its entity's properties. */
export interface Expression<Value> {
  /** SQL in terms of the row's table. */
  sql: string;
  decode: Decoder<Value>;
}

/** A read of one entity's rows. */
export interface EntityRead<Entity, Property extends keyof Entity & string, Extra> {
  /** Names the statement; after its place, such as `services.list`. */
  name: string;
  /** The properties that are read. */
  select: readonly Property[];
  /** What else is read, in terms of the entity's table. */
  extra?: (table: EntityTable<Entity>) => { [Key in keyof Extra]: Expression<Extra[Key]> };
  /** A condition that always holds, in terms of the entity's table. */
  where?: (table: EntityTable<Entity>) => string;
}

/** A condition on a list that a caller may leave out: on a property, or on an expression in terms of the entity's table. */
export type EntityFilter<Entity> =
  | { property: keyof Entity & string; operator: KeysetFilter['operator'] }
  | { name: string; sql: (table: EntityTable<Entity>) => string; type: string; operator: KeysetFilter['operator'] };

/** A list of a customer's rows of an entity. */
export interface EntityList<Entity, Property extends keyof Entity & string, Extra> extends EntityRead<
  Entity,
  Property,
  Extra
> {
  /**
   * Conditions that a caller may leave out, in the order in which their values are given. Each that compares for equality
   * doubles the number of statements.
   */
  filters?: readonly EntityFilter<Entity>[];
  /** Whether the table is partitioned by ids that carry time: then they alone are the order. */
  timedIds?: boolean;
}

/**
 * Turns what services say of entities and their properties into prepared statements, once, when the process starts. Tables,
 * columns, types and decoders come from the entities' metadata: nothing else describes a table.
 */
@Injectable()
export class EntityReadsService {
  /** Every statement that was defined. */
  readonly defined: ReadStatement<never>[] = [];

  constructor(private readonly dataSource: DataSource) {}

  /** Rows whose properties `by` equal the values given, in their order. */
  find<Entity, Property extends keyof Entity & string, Extra = unknown>(
    entity: EntityClass<Entity>,
    read: EntityRead<Entity, Property, Extra> & { by: readonly (keyof Entity & string)[] },
  ): ReadStatement<ReadRow<Entity, Property> & Extra> {
    const table = this.table(entity, 't');
    const { selection, columns } = parts(table, read);
    const conditions = read.by.map((property, index) => `${table.column(property)} = $${index + 1}`);
    if (read.where) conditions.push(read.where(table));
    return this.register({
      name: read.name,
      text: `select ${selection} from ${table.from} where ${conditions.join(' and ')}`,
      columns,
    });
  }

  /** A list of a customer's rows, newest first. */
  list<Entity extends Listed, Property extends keyof Entity & string, Extra = unknown>(
    entity: EntityClass<Entity>,
    read: EntityList<Entity, Property, Extra>,
  ): KeysetList<ReadRow<Entity, Property> & Extra & Placed> {
    const table = this.table(entity, 't');
    const list = new KeysetList<ReadRow<Entity, Property> & Extra & Placed>({
      name: read.name,
      table,
      ...parts(table, read),
      where: read.where?.(table),
      timedIds: read.timedIds,
      filters: read.filters?.map((filter) => keysetFilter(table, filter)),
    });
    for (const statement of list.statements) this.register(statement);
    return list;
  }

  /** A statement whose text is written by hand, with names from {@link table}. */
  statement<Row>(name: string, text: string, columns: Columns<Row>): ReadStatement<Row> {
    return this.register(readStatement(name, text, columns));
  }

  /** A statement whose columns were put together from those of tables. */
  define<Row>(statement: ReadStatement<Row>): ReadStatement<Row> {
    return this.register(statement);
  }

  /** An entity's table under an alias. */
  table<Entity>(entity: EntityClass<Entity>, alias: string): EntityTable<Entity> {
    return new EntityTable<Entity>(this.dataSource.getMetadata(entity), alias);
  }

  private register<Row>(statement: ReadStatement<Row>): ReadStatement<Row> {
    this.defined.push(statement);
    return statement;
  }
}

function parts<Entity, Property extends keyof Entity & string, Extra>(
  table: EntityTable<Entity>,
  { select, extra }: EntityRead<Entity, Property, Extra>,
) {
  const extras = Object.entries<Expression<unknown>>(extra?.(table) ?? {});
  return {
    selection: [table.select(select), ...extras.map(([name, { sql }]) => `${sql} as "${name}"`)].join(', '),
    columns: [
      ...table.columns(select),
      ...extras.map(([name, { decode }]) => [name, decode] as const),
    ] as unknown as ReadStatement<ReadRow<Entity, Property> & Extra>['columns'],
  };
}

function keysetFilter<Entity>(table: EntityTable<Entity>, filter: EntityFilter<Entity>): KeysetFilter {
  if ('sql' in filter) return { ...filter, sql: filter.sql(table) };
  const { property, operator } = filter;
  return { name: property, sql: table.column(property), type: table.type(property), operator };
}
