import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { StatusPostCommand } from './status-post.command';
import { StatusEndCommand } from './status-end.command';

const verbs = [StatusPostCommand, StatusEndCommand];

@Command({ name: 'status', description: 'status of services', subCommands: verbs })
export class StatusCommand extends CommandGroup {}

export const statusCommands = [StatusCommand, ...verbs];
