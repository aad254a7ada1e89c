import { Command } from 'nest-commander';
import { CommandGroup } from '../command-group';
import { AiConfigureCommand } from './ai-configure.command';
import { AiCreditCommand } from './ai-credit.command';
import { AiLedgerCommand } from './ai-ledger.command';
import { AiPriceCommand } from './ai-price.command';
import { AiPricesCommand } from './ai-prices.command';
import { AiShowCommand } from './ai-show.command';
import { AiUnknownCommand } from './ai-unknown.command';
import { AiUsageCommand } from './ai-usage.command';
import { AiVerifyCommand } from './ai-verify.command';

const verbs = [
  AiConfigureCommand,
  AiShowCommand,
  AiPriceCommand,
  AiPricesCommand,
  AiCreditCommand,
  AiLedgerCommand,
  AiUsageCommand,
  AiUnknownCommand,
  AiVerifyCommand,
];

@Command({ name: 'ai', description: 'AI settings, prices and credit of customers', subCommands: verbs })
export class AiCommand extends CommandGroup {}

export const aiCommands = [AiCommand, ...verbs];
