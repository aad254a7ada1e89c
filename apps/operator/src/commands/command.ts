import type { Type } from '@nestjs/common';
import type { OptionDefinitions, Values } from '../options/option';

/** Services by the names that commands use. */
export type ServiceClasses = Record<string, Type>;

/** A file of `services/`: what commands about one thing need. It is loaded when such a command runs. */
export interface CommandServices<Classes extends ServiceClasses> {
  modules: readonly Type[];
  services: Classes;
}

type Instances<Classes extends ServiceClasses> = { [Name in keyof Classes]: InstanceType<Classes[Name]> };

/** The run of a command. */
export interface Run {
  /** Who does it, for the audit log: `operator:<name>`. Commands that only read may have no name. */
  actor: string;
  /** Whether all rows are wanted, as CSV. */
  csv: boolean;
  /** The command did what it should, and found something wrong: ends with {@link EXIT.failed}. */
  foundFault: () => void;
}

/** A command of the command line: `operator <noun> <verb>`. Loading it loads nothing that only its run needs. */
export interface CommandDefinition<Options extends OptionDefinitions, Classes extends ServiceClasses> {
  /** The verb. */
  name: string;
  description: string;
  options: Options;
  /** Lines for the help: what follows `operator <noun> <verb>`. */
  examples: readonly [string, ...string[]];
  /** Set if it changes nothing: nobody has to be named. */
  reads?: true;
  /** The question before something that cannot be undone; undefined if this is not such a case. */
  confirm?: (values: Values<Options>) => string | undefined;
  /** Set if it needs `--yes` where nobody can be asked. */
  needsYes?: true;
  /** Columns of its table, of many: what people know comes first. Default: all fields. */
  columns?: readonly string[];
  /** Columns that `-o wide` and CSV have besides. */
  moreColumns?: readonly string[];
  services: () => Promise<CommandServices<Classes>>;
  /** Does it. The return value is printed. */
  run: (services: Instances<Classes>, values: Values<Options>, run: Run) => object | Promise<object>;
}

/** A command whose options and services are of any kind. */
export type ServiceCommand = CommandDefinition<OptionDefinitions, ServiceClasses>;

/** A command that only prints a text, and needs no service. */
export interface TextCommand extends Pick<ServiceCommand, 'name' | 'description' | 'options' | 'examples'> {
  text: (nouns: readonly Noun[]) => string;
}

export type Command = ServiceCommand | TextCommand;

/** Declares a command; TypeScript knows its values and services by what stands in it. */
export function command<Options extends OptionDefinitions, Classes extends ServiceClasses>(
  definition: CommandDefinition<Options, Classes>,
): ServiceCommand {
  return definition as unknown as ServiceCommand;
}

/** Commands about one thing. */
export interface Noun {
  name: string;
  description: string;
  commands: readonly Command[];
}
