import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { CreditRequestApproveCommand } from './credit-request-approve.command';
import { CreditRequestListCommand } from './credit-request-list.command';
import { CreditRequestRejectCommand } from './credit-request-reject.command';

const verbs = [CreditRequestListCommand, CreditRequestApproveCommand, CreditRequestRejectCommand];

@Command({ name: 'credit-request', description: "customers' requests for extra AI credit", subCommands: verbs })
export class CreditRequestCommand extends CommandGroup {}

export const creditRequestCommands = [CreditRequestCommand, ...verbs];
