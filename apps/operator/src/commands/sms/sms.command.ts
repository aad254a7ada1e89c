import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { SmsConfigureCommand } from './sms-configure.command';
import { SmsLogCommand } from './sms-log.command';

const verbs = [SmsConfigureCommand, SmsLogCommand];

@Command({ name: 'sms', description: 'SMS of customers', subCommands: verbs })
export class SmsCommand extends CommandGroup {}

export const smsCommands = [SmsCommand, ...verbs];
