import { Injectable } from '@nestjs/common';
import type { CustomerStatement } from '../connections/customer-transaction';
import { EntityReadsService, type ReadRow } from '../reads/entity-reads.service';
import { type Columns, type DecodedStatement, type Decoder } from '../prepared-statement';

/** The types of our functions' parameters, as PostgreSQL names them, and their values. Each may be null. */
interface ParameterTypes {
  uuid: string;
  text: string;
  integer: number;
  numeric: string;
  bytea: Buffer;
  interval: string;
  'timestamp with time zone': Date;
  'text[]': readonly string[];
}

/** The parameters of a function behind its first, `p_customer`: `serviceId` is `p_service_id`. */
type Parameters = Readonly<Record<string, keyof ParameterTypes>>;

/** The values of a call, by the names of its parameters. */
export type Arguments<Given extends Parameters> = {
  readonly [Name in keyof Given]: ParameterTypes[Given[Name]] | null;
};

/** A function of ours, as calls name it. */
export interface CalledFunction {
  name: string;
  /** All its parameters, in its order. */
  parameters: readonly { name: string; type: string }[];
}

/** A call of one of our functions. */
export interface FunctionCall<Given extends Parameters, Returned, Entity, Property extends keyof Entity & string> {
  /** Names the statement; after its place, such as `idempotency.claim`. */
  name: string;
  /** The function, such as `app.claim_idempotency_key`. Its first parameter is the customer, `p_customer`. */
  calls: string;
  parameters: Given;
  /** Columns of its rows: `repliedAt` is `replied_at`. A value that it returns is the column `result`. */
  returns?: Columns<Returned>;
  /** An entity whose row it returns: in the column named, or as its whole result. */
  row?: { entity: new () => Entity; column?: string; select: readonly Property[] };
}

/**
 * Makes prepared statements of writes, once, when the process starts: calls of our functions. The names of the rows that they
 * return come from the entities' metadata; a test compares the functions' parameters with the database's catalogue.
 */
@Injectable()
export class EntityWritesService {
  /** Every statement that was defined. */
  readonly defined: DecodedStatement<never>[] = [];
  /** Every function that is called. */
  readonly functions: CalledFunction[] = [];

  constructor(private readonly reads: EntityReadsService) {}

  call<
    const Given extends Parameters,
    Returned = object,
    Entity = object,
    Property extends keyof Entity & string = never,
  >(
    call: FunctionCall<Given, Returned, Entity, Property>,
  ): (given: Arguments<Given>) => CustomerStatement<Returned & ReadRow<Entity, Property>> {
    const names = Object.keys(call.parameters);
    const parameters = [
      { name: 'p_customer', type: 'uuid' },
      ...names.map((name) => ({ name: `p_${snake(name)}`, type: call.parameters[name] as string })),
    ];
    this.functions.push({ name: call.calls, parameters });
    const given = parameters.map(({ name }, index) => `${name} => $${index + 1}`).join(', ');
    const { selection, columns } = this.returned(call);
    const statement = this.register<Returned & ReadRow<Entity, Property>>({
      name: call.name,
      text: `select ${selection} from ${call.calls}(${given}) result`,
      columns,
    });
    return (values) => {
      const inOrder: unknown[] = [];
      for (const name of names) inOrder.push(values[name]);
      return { statement, values: inOrder };
    };
  }

  private returned<Given extends Parameters, Returned, Entity, Property extends keyof Entity & string>({
    returns = {} as Columns<Returned>,
    row,
  }: FunctionCall<Given, Returned, Entity, Property>) {
    const columns = Object.entries<Decoder<unknown>>(returns);
    const selection = columns.map(([name]) => `result.${snake(name)} as "${name}"`);
    if (row) {
      const table = this.reads.table(row.entity, row.column === undefined ? 'result' : `(result.${row.column})`);
      selection.push(table.select(row.select));
      columns.push(...table.columns(row.select).map(([name, decode]) => [name, decode] as [string, Decoder<unknown>]));
    }
    type Row = Returned & ReadRow<Entity, Property>;
    return { selection: selection.join(', '), columns: columns as [keyof Row & string, Decoder<unknown>][] };
  }

  private register<Row>(statement: DecodedStatement<Row>): DecodedStatement<Row> {
    this.defined.push(statement);
    return statement;
  }
}

/** `serviceId` in TypeScript is `service_id` in PostgreSQL. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
