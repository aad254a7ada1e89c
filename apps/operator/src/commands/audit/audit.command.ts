import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { AuditListCommand } from './audit-list.command';

const verbs = [AuditListCommand];

/** `audit`: the audit log. */
@Command({ name: 'audit', description: 'the audit log', subCommands: verbs })
export class AuditCommand extends CommandGroup {}

/** The noun and its verbs. */
export const auditCommands = [AuditCommand, ...verbs];
