/** Turns the text of an option into its value; throws an error that names the invalid text. */
export type Parser<Value> = ((text: string) => Value) & {
  /** All texts that are valid, if they are few. */
  choices?: readonly string[];
};

/** An option of a command. */
export interface OptionDefinition<Value = unknown, Required extends boolean = boolean> {
  /** The option as the help shows it: its name and the placeholder of its value, such as `--customer <customer>`. */
  flags: string;
  description: string;
  required: Required;
  parse: Parser<Value>;
  /** `customer`: the value is a customer's number, name or id, and the command receives the id. */
  names?: 'customer';
}

/** The options of a command, each under the name that `run` receives its value by. */
export type OptionDefinitions = Record<string, OptionDefinition>;

/** The values of a command's options; those that are not required may be undefined. */
export type Values<Definitions extends OptionDefinitions> = {
  [Name in keyof Definitions]: Definitions[Name] extends OptionDefinition<infer Value, infer Required>
    ? Value | (Required extends true ? never : undefined)
    : never;
};

const unchanged: Parser<string> = (text) => text;

/** An option that must be given; without a parser, its value is the text. */
export function required(flags: string, description: string): OptionDefinition<string, true>;
export function required<Value>(
  flags: string,
  description: string,
  parse: Parser<Value>,
): OptionDefinition<Value, true>;
export function required(flags: string, description: string, parse: Parser<unknown> = unchanged): OptionDefinition {
  return { flags, description, required: true, parse };
}

/** An option that may be left out; without a parser, its value is the text. */
export function optional(flags: string, description: string): OptionDefinition<string, false>;
export function optional<Value>(
  flags: string,
  description: string,
  parse: Parser<Value>,
): OptionDefinition<Value, false>;
export function optional(flags: string, description: string, parse: Parser<unknown> = unchanged): OptionDefinition {
  return { flags, description, required: false, parse };
}

/** An option without a value: true if it is given. */
export function flag(flags: string, description: string): OptionDefinition<boolean, false> {
  return { flags, description, required: false, parse: () => true };
}
