import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { CustomerCreateCommand } from './customer-create.command';
import { CustomerListCommand } from './customer-list.command';
import { CustomerShowCommand } from './customer-show.command';
import { CustomerActivateCommand } from './customer-activate.command';
import { CustomerDeactivateCommand } from './customer-deactivate.command';
import { CustomerLimitsCommand } from './customer-limits.command';

const verbs = [
  CustomerCreateCommand,
  CustomerListCommand,
  CustomerShowCommand,
  CustomerActivateCommand,
  CustomerDeactivateCommand,
  CustomerLimitsCommand,
];

@Command({ name: 'customer', description: 'customers and their limits', subCommands: verbs })
export class CustomerCommand extends CommandGroup {}

export const customerCommands = [CustomerCommand, ...verbs];
