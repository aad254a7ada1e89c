import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { SmsConfigureCommand } from './sms-configure.command';
import { SmsLogCommand } from './sms-log.command';

const verbs = [SmsConfigureCommand, SmsLogCommand];

/** `sms`: SMS of customers. */
@Command({ name: 'sms', description: 'SMS of customers', subCommands: verbs })
export class SmsCommand extends CommandGroup {}

/** The noun and its verbs. */
export const smsCommands = [SmsCommand, ...verbs];
