import 'reflect-metadata';
import { CustomerLookupOperatorService } from '@domains/customers';
import { loadConfig, withLocalServices } from '@platform/config';
import { Listing } from '@platform/pagination';
import type { Run, ServiceCommand } from '../commands/command';
import { print } from '../output/print';
import type { CommonOptions } from '../program/common-options';
import { EXIT } from '../program/exit-codes';
import { actorOf } from './actor';
import { assertYes, confirmed } from './confirmation';
import { openApplication } from './open-application';

type GivenValues = Record<string, unknown>;

/** Runs a command and prints its result. */
export async function runCommand(command: ServiceCommand, given: GivenValues, common: CommonOptions): Promise<void> {
  const config = loadConfig(withLocalServices());
  const run: Run = {
    actor: actorOf(config, common.as, command.reads === true),
    csv: common.output === 'csv',
    foundFault: () => (process.exitCode = EXIT.failed),
  };
  assertYes(command, given, common.yes);
  const { modules, services: classes } = await command.services();
  const application = await openApplication(config, modules);
  try {
    const customers = application.get(CustomerLookupOperatorService, { strict: false });
    const values = await withCustomerIds(command, given, customers);
    await confirmed(command.confirm?.(values), common.yes);
    const services = Object.fromEntries(
      Object.entries(classes).map(([name, type]) => [name, application.get<object>(type, { strict: false })]),
    );
    const execute = async (more: GivenValues) => command.run(services, { ...values, ...more }, run);
    const result = await execute({});
    const goesOn = isListing(result) && run.csv && values.limit === undefined;
    await print(goesOn ? allRows(result, execute) : result, command, common.output, customers);
  } finally {
    await application.close();
  }
}

/** Portions of a list, from the first on. */
async function* allRows(
  first: Listing<object>,
  read: (more: GivenValues) => Promise<object>,
): AsyncGenerator<object[]> {
  for (let part = first; ; part = (await read({ after: part.next })) as Listing<object>) {
    yield part.rows;
    if (part.next === null) return;
  }
}

function isListing(result: object): result is Listing<object> {
  return result instanceof Listing;
}

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
