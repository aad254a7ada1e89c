import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { AuditListCommand } from './audit-list.command';

const verbs = [AuditListCommand];

@Command({ name: 'audit', description: 'the audit log', subCommands: verbs })
export class AuditCommand extends CommandGroup {}

export const auditCommands = [AuditCommand, ...verbs];
