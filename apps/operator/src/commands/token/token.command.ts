import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { TokenIssueCommand } from './token-issue.command';
import { TokenRotateCommand } from './token-rotate.command';
import { TokenDeactivateCommand } from './token-deactivate.command';
import { TokenListCommand } from './token-list.command';
import { TokenRenameCommand } from './token-rename.command';

const verbs = [TokenIssueCommand, TokenRotateCommand, TokenRenameCommand, TokenDeactivateCommand, TokenListCommand];

@Command({ name: 'token', description: 'service tokens', subCommands: verbs })
export class TokenCommand extends CommandGroup {}

export const tokenCommands = [TokenCommand, ...verbs];
