import 'reflect-metadata';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { type DynamicModule, type INestApplicationContext, Logger, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { CustomerLookupOperatorService, CustomersOperatorModule } from '@domains/customers';
import { type AppConfig, ConfigModule, loadConfig, withLocalServices } from '@platform/config';
import { assertBillingZone, DatabaseModule } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { NestLogger } from '@platform/logging';
import { Listing } from '@platform/pagination';
import type { ServiceCommand } from './commands/command';
import type { CommonOptions } from './options/global-options';
import { person } from './options/read';
import { print } from './output/print';
import { CommandError, EXIT, usageError } from './command-error';

type GivenValues = Record<string, unknown>;

/** The rows that a list shows without `--limit`. */
const USUAL_ROWS = 500;

/** Runs a command and prints its result. */
export async function runCommand(command: ServiceCommand, given: GivenValues, common: CommonOptions): Promise<void> {
  const config = loadConfig(withLocalServices());
  const actor = actorOf(config, common.as, command.reads === true);
  const canAsk = process.stdin.isTTY || config.OPERATOR_TERMINAL;
  if (!common.yes && !canAsk) assertNoQuestion(command, given);
  const { modules, services: classes } = await command.services();
  const application = await openApplication(config, modules);
  try {
    if (!command.examinesDatabase) await assertBillingZone(application.get(DataSource), config);
    const customers = application.get(CustomerLookupOperatorService, { strict: false });
    const values = await withCustomerIds(command, given, customers);
    const services = Object.fromEntries(
      Object.entries(classes).map(([name, type]) => [name, application.get<object>(type, { strict: false })]),
    );
    const question = command.confirm?.(values);
    if (question !== undefined && !common.yes && canAsk) {
      const about = await command.about?.(services, values, (id) => nameOf(customers, id));
      await confirm([...(about === undefined ? [] : [about]), question].join('\n'));
    }
    const csv = common.output === 'csv';
    const foundFault = () => (process.exitCode = EXIT.failed);
    const note = (text: string) => void process.stderr.write(`${text}\n`);
    const agree = (fact: string) => (common.yes ? Promise.resolve() : agreeTo(fact, canAsk));
    const { limit = USUAL_ROWS, after: begin } = values as { limit?: number; after?: string };
    const execute = async (after?: string) =>
      command.run(services, values, { actor, csv, listing: { limit, after }, foundFault, note, agree });
    const result = await execute(begin);
    const goesOn = isListing(result) && csv && values.limit === undefined;
    await print(goesOn ? allRows(result, execute) : result, command, common.output, customers);
  } finally {
    await application.close();
  }
}

/** The modules of one command. */
@Module({})
class CommandModule {}

/** Opens the modules that a command needs, and the database. */
export async function openApplication(
  config: AppConfig,
  modules: readonly (Type | DynamicModule)[],
): Promise<INestApplicationContext> {
  const imports = [
    ConfigModule.for(config),
    DatabaseModule.as('account_operator'),
    ...new Set([CustomersOperatorModule, ...modules]),
  ];
  // Nest would log why it could not start, which the command says itself.
  const options = { logger: false, abortOnError: false } as const;
  const application = await NestFactory.createApplicationContext({ module: CommandModule, imports }, options);
  // Standard output is reserved for results, so logs go to standard error.
  Logger.overrideLogger(new NestLogger(config, process.stderr));
  return application;
}

/** Replaces customers' numbers and names by their ids. */
async function withCustomerIds(
  { options }: ServiceCommand,
  values: GivenValues,
  customers: CustomerLookupOperatorService,
): Promise<GivenValues> {
  const entries = Object.entries(values).map(async ([name, value]) =>
    options[name]?.names === 'customer' ? [name, await customers.idOf(String(value))] : [name, value],
  );
  return Object.fromEntries((await Promise.all(entries)) as [string, unknown][]);
}

function isListing(result: object): result is Listing<object> {
  return result instanceof Listing;
}

/** Portions of a list, from the first on. */
async function* allRows(
  first: Listing<object>,
  read: (after: string | undefined) => Promise<object>,
): AsyncGenerator<object[]> {
  for (let part = first; ; part = (await read(part.next)) as Listing<object>) {
    yield part.rows;
    if (part.next === null) return;
  }
}

/**
 * The person who runs a command, as in the audit log. In development the name of the system user is enough; in production
 * a person must be named, unless the command only reads. @throws CommandError
 */
function actorOf(config: AppConfig, as: string | undefined, reads: boolean): string {
  const given = as ?? config.OPERATOR_NAME;
  if (given !== undefined) return `operator:${validName(given, as === undefined ? 'OPERATOR_NAME' : '--as')}`;
  if (config.NODE_ENV !== 'production') return `operator:${systemUser()}`;
  if (reads) return 'operator:-';
  throw new CommandError(
    EXIT.unnamed,
    'unnamed',
    'Who are you? Give your name with --as or in OPERATOR_NAME; the audit log has it. Nothing was done',
  );
}

function validName(given: string, where: string): string {
  try {
    return person(given);
  } catch (error) {
    throw error instanceof ServiceError ? usageError(`${where}: ${error.detail}`) : error;
  }
}

/** A container's user need not have a name. */
function systemUser(): string {
  try {
    const name = userInfo()
      .username.replaceAll(/[^\p{L}\p{M}\p{N}._@+-]/gu, '_')
      .slice(0, 64);
    if (name !== '') return name;
  } catch {
    // No entry in /etc/passwd.
  }
  return `uid-${process.getuid?.() ?? 'unknown'}`;
}

/** Refuses a command that needs `--yes` where nobody can be asked. @throws CommandError */
function assertNoQuestion({ needsYes, confirm }: ServiceCommand, given: Record<string, unknown>): void {
  if (!needsYes || confirm?.(given) === undefined) return;
  throw new CommandError(EXIT.unconfirmed, 'unconfirmed', 'This cannot be undone: confirm it with --yes');
}

async function nameOf(customers: CustomerLookupOperatorService, id: string): Promise<string> {
  const customer = (await customers.namesOf([id])).get(id);
  return customer ? `${customer.customerNumber}, ${customer.name}` : id;
}

/** Asks whether to go on, where somebody can be asked. @throws CommandError unless the answer is yes */
async function agreeTo(fact: string, canAsk: boolean): Promise<void> {
  if (canAsk) return confirm(`${fact}. Go on?`);
  throw new CommandError(EXIT.unconfirmed, 'unconfirmed', `${fact}: confirm it with --yes`);
}

/** Asks at a terminal. @throws CommandError unless the answer is yes */
async function confirm(question: string): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(`${question} [y/N] `), ended]);
  terminal.close();
  if (/^\s*y(es)?\s*$/i.test(answer)) return;
  throw new CommandError(EXIT.unconfirmed, 'unconfirmed', 'Nothing was done');
}
