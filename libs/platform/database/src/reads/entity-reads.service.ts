import { Injectable } from '@nestjs/common';
import { DataSource, type EntityMetadata } from 'typeorm';
import { KeysetList, type KeysetFilter, type Placed } from './keyset-pages';
import {
  type Columns,
  type Decoder,
  decoderOf,
  decoders,
  type ReadStatement,
  readStatement,
} from '../prepared-statement';

/** A property's value as a read has it: points in time are RFC 3339 text in UTC, to the microsecond. */
type Read<Value> = Value extends Date ? string : Value;

/** Some of an entity's properties as a read has them. */
export type ReadRow<Entity, Property extends keyof Entity> = { [Key in Property]: Read<Entity[Key]> };

/** An entity's table in a statement: all names come from the entity's metadata. */
class EntityTable<Entity> {
  /** The table and its alias, for `from` and `join`. */
  readonly from: string;

  constructor(
    private readonly metadata: EntityMetadata,
    private readonly alias: string,
  ) {
    this.from = `"${metadata.tableName}" ${alias}`;
  }

  /** A property's column, with the table's alias. */
  column(property: keyof Entity & string): string {
    return `${this.alias}."${this.find(property).databaseName}"`;
  }

  /** The SQL type of a property's column. */
  type(property: keyof Entity & string): string {
    const { type, isArray } = this.find(property);
    return `${String(type)}${isArray ? '[]' : ''}`;
  }

  /** Columns of a select list, each named after its property. */
  select(properties: readonly (keyof Entity & string)[]): string {
    return properties.map((property) => `${this.column(property)} as "${property}"`).join(', ');
  }

  /** How the columns of {@link select} are decoded. */
  columns<Property extends keyof Entity & string>(
    properties: readonly Property[],
  ): ReadStatement<Record<Property, unknown>>['columns'] {
    return properties.map((property) => [property, decoderOf(this.type(property))] as const);
  }

  /** A JSON object of some properties, with times and decimals in the form that other reads give them, and of `more` SQL. */
  json(properties: readonly (keyof Entity & string)[], more: Readonly<Record<string, string>> = {}): string {
    const members = [
      ...properties.map((property) => [property, this.jsonValue(property)] as const),
      ...Object.entries(more),
    ];
    return `json_build_object(${members.map(([name, sql]) => `'${name}', ${sql}`).join(', ')})`;
  }

  private jsonValue(property: keyof Entity & string): string {
    const column = this.column(property);
    switch (this.type(property)) {
      case 'timestamptz':
        return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
      case 'numeric':
      case 'bigint':
        return `${column}::text`;
      default:
        return column;
    }
  }

  private find(property: string): EntityMetadata['columns'][number] {
    const column = this.metadata.findColumnWithPropertyName(property);
    if (!column) throw new Error(`${this.metadata.name} has no column for ${property}`);
    return column;
  }
}

export type { EntityTable };

/** An entity's class. */
type EntityClass<Entity> = new () => Entity;

/** An entity whose rows are a customer's, and have a place in a list. */
interface Listed {
  customerId: string;
  id: string | number;
  createdAt: Date;
}

/** A value that a row has besides its entity's properties. */
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
  /** Further values that are read, in terms of the entity's table. */
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
  /** Values that may make a page end before its limit. */
  large?: (table: EntityTable<Entity>) => LargeExpressions<Extra>;
  /** Whether the table is partitioned by ids that carry time: then they alone are the order. */
  timedIds?: boolean;
}

/** Values of a list's rows that may be large. */
interface LargeExpressions<Extra> {
  /** A query of one row in terms of the entity's table: the `bytes` of the values, and columns that they are made of. */
  measure: string;
  /** Further values, in terms of `page`: a row with the columns of `measure`, and the properties that are read. */
  extra: { [Key in keyof Extra]: Expression<Extra[Key]> };
}

/**
 * Turns services' descriptions of entities and properties into prepared statements, once, when the process starts. Tables,
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
      ...(read.large ? largeParts(table, read, read.large(table)) : parts(table, read)),
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

/** The parts of a list with large values, which has no others beside its entity's. */
function largeParts<Entity, Property extends keyof Entity & string, Extra>(
  table: EntityTable<Entity>,
  { select }: EntityList<Entity, Property, Extra>,
  { measure, extra }: LargeExpressions<Extra>,
) {
  const { columns } = parts(table, { name: '', select, extra: () => extra });
  const pageBytes = ['pageBytes', decoders.number] as const;
  const properties = select.map((property) => `page."${property}"`);
  const values = Object.entries<Expression<unknown>>(extra).map(([name, { sql }]) => `${sql} as "${name}"`);
  return {
    selection: table.select(select),
    columns: [...columns, pageBytes] as typeof columns,
    large: { measure, selection: [...properties, ...values].join(', ') },
  };
}

function keysetFilter<Entity>(table: EntityTable<Entity>, filter: EntityFilter<Entity>): KeysetFilter {
  if ('sql' in filter) return { ...filter, sql: filter.sql(table) };
  const { property, operator } = filter;
  return { name: property, sql: table.column(property), type: table.type(property), operator };
}
