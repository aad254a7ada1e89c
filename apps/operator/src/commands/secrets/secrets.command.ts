import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { SecretsReencryptCommand } from './secrets-reencrypt.command';

const verbs = [SecretsReencryptCommand];

@Command({ name: 'secrets', description: 'secrets that the service stores', subCommands: verbs })
export class SecretsCommand extends CommandGroup {}

export const secretsCommands = [SecretsCommand, ...verbs];
