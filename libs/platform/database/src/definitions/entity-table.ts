import type { EntityMetadata } from 'typeorm';
import { decoderOf } from './decoders';
import type { ReadStatement } from './read-statement';

/** A property's value as a read has it: points in time are RFC 3339 text in UTC, to the microsecond. */
type Read<Value> = Value extends Date ? string : Value;

/** Some of an entity's properties as a read has them. */
export type ReadRow<Entity, Property extends keyof Entity> = { [Key in Property]: Read<Entity[Key]> };

/** An entity's table in a statement: all names come from the entity's metadata. */
export class EntityTable<Entity> {
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
    return String(this.find(property).type);
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
