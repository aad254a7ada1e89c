import type { DynamicModule, Type } from '@nestjs/common';
import type { ListingRequest } from '@platform/pagination';
import type { OptionDefinitions, Values } from '../options/option';

/** Commands about one thing. */
export interface Noun {
  name: string;
  description: string;
  commands: readonly Command[];
  /** The verb that is meant if none is given. */
  usual?: string;
}

/** `operator <noun> <verb>`: uses services, or only prints a text. */
export type Command = ServiceCommand | TextCommand;

/** Services by the names that commands use. */
export type ServiceClasses = Record<string, Type>;

/** A file of `services/`: the services for commands about one thing. It is loaded when such a command runs. */
export interface CommandServices<Classes extends ServiceClasses> {
  modules: readonly (Type | DynamicModule)[];
  services: Classes;
}

type Instances<Classes extends ServiceClasses> = { [Name in keyof Classes]: InstanceType<Classes[Name]> };

/** The run of a command. */
export interface Run {
  /** The person who runs it, for the audit log: `operator:<name>`. Commands that only read may have no name. */
  actor: string;
  /** Whether all rows are wanted, as CSV. */
  csv: boolean;
  /** The part of a list that the options `limit` and `after` ask for. */
  listing: ListingRequest;
  /** The command did its work and found something wrong: it ends with {@link EXIT.failed}. */
  foundFault: () => void;
  /** Says something beside the result, on standard error. */
  note: (text: string) => void;
  /**
   * Asks before something that only the data show to need a question, see `confirm` for others. Resolves if the answer or `--yes`
   * is yes; otherwise the command ends.
   */
  agree: (fact: string) => Promise<void>;
}

/** The definition of a verb. Loading it loads nothing that only its run needs. */
export interface CommandDefinition<Options extends OptionDefinitions, Classes extends ServiceClasses> {
  /** The verb. */
  name: string;
  description: string;
  options: Options;
  /** Lines for the help: the words after `operator <noun> <verb>`. */
  examples: readonly [string, ...string[]];
  /** Set if it changes nothing: nobody has to be named. */
  reads?: true;
  /** The question before something that cannot be undone; undefined if this is not such a case. */
  confirm?: (values: Values<Options>) => string | undefined;
  /**
   * Said before the question, which knows only what was given: whom it concerns, and how much. @param nameOf the number and name of
   * a customer
   */
  about?: (
    services: Instances<Classes>,
    values: Values<Options>,
    nameOf: (customerId: string) => Promise<string>,
  ) => Promise<string>;
  /** Set if it also runs on a database that the programs refuse: it finds out why. */
  examinesDatabase?: true;
  /** Set if it needs `--yes` where nobody can be asked. */
  needsYes?: true;
  /** Columns of its table, the best-known first. Default: all fields. */
  columns?: readonly string[];
  /** Further columns of `-o wide` and CSV. */
  moreColumns?: readonly string[];
  /** Set if its own note says that the list is empty. */
  saysIfEmpty?: true;
  /** Does the work. The result is printed: an object, an array, a `Listing`, {@link CsvRows} or {@link TextParts}. */
  run: (services: Instances<Classes>, values: Values<Options>, run: Run) => object | Promise<object>;
}

/** A command whose options and services are of any kind. */
export interface ServiceCommand extends CommandDefinition<OptionDefinitions, ServiceClasses> {
  services: () => Promise<CommandServices<ServiceClasses>>;
}

/** A command that only prints a text, and needs no service. */
export interface TextCommand extends Pick<ServiceCommand, 'name' | 'description' | 'options' | 'examples'> {
  text: (nouns: readonly Noun[]) => string;
}

/** The function that declares commands with these services; TypeScript infers the types of values and services. */
export function commandsWith<Classes extends ServiceClasses>(services: () => Promise<CommandServices<Classes>>) {
  return <Options extends OptionDefinitions>(definition: CommandDefinition<Options, Classes>): ServiceCommand =>
    ({ ...definition, services }) as unknown as ServiceCommand;
}

/** The columns of a CSV file, each with the value of its cells. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => unknown>>;

/** A result: any number of rows, with columns of their own as CSV. They are printed as they are read. */
export class CsvRows<Row> {
  constructor(
    readonly columns: CsvColumns<Row>,
    readonly portions: AsyncIterable<Row[]> | Iterable<Row[]>,
    /** Where a list continues of which this is a part; null if there is nothing more. */
    readonly next: string | null = null,
  ) {}
}

/** A result: a text of any length, in one format. It is printed as it is generated. */
export class TextParts {
  constructor(readonly parts: AsyncIterable<string>) {}
}
