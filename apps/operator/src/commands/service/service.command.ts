import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { ServiceAddCommand } from './service-add.command';
import { ServiceUpdateCommand } from './service-update.command';
import { ServiceListCommand } from './service-list.command';

const verbs = [ServiceAddCommand, ServiceUpdateCommand, ServiceListCommand];

@Command({ name: 'service', description: 'services of customers', subCommands: verbs })
export class ServiceCommand extends CommandGroup {}

export const serviceCommands = [ServiceCommand, ...verbs];
