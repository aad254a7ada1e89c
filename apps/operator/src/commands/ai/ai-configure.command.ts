import { text as readAll } from 'node:stream/consumers';
import { SubCommand } from 'nest-commander';
import { AiConfigurationOperatorService, type AiConfigurationView } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { decimalText } from '@platform/money';
import { flag, optional, type Values } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  customer,
  enabled: optional('--enabled <yes>', 'true or false', read.yesOrNo),
  model: optional('--model <model>', 'model that answers; it must have a price'),
  includedNok: optional(
    '--included-nok <amount>',
    'included credit per month; an increase is added at once, a decrease applies from next month',
    (text) => decimalText(text, { decimals: 2 }),
  ),
  monthlyLimitNok: optional(
    '--monthly-limit-nok <amount>',
    'most included credit that may be used in a month; none removes the limit',
    limit,
  ),
  totalLimitNok: optional(
    '--total-limit-nok <amount>',
    'most that may be used in a month, purchased credit included; none removes the limit',
    limit,
  ),
  keyStdin: flag('--key-stdin', "read the customer's own key from standard input"),
  dropKey: flag('--drop-key', "go back from the customer's own key to the service-wide one"),
};

@SubCommand({ name: 'configure', description: "set a customer's AI up, or change it; what is left out stays" })
export class AiConfigureCommand extends commandWith(options) {
  constructor(private readonly configuration: AiConfigurationOperatorService) {
    super();
  }

  protected async execute({
    customer,
    keyStdin,
    dropKey,
    ...change
  }: Values<typeof options>): Promise<AiConfigurationView> {
    if (keyStdin && dropKey) throw new ServiceError('invalid_request', 'Give --key-stdin or --drop-key, not both');
    const apiKey = keyStdin ? await readKey() : dropKey ? null : undefined;
    return this.configuration.configure(this.actor, customer, { ...change, apiKey });
  }
}

function limit(text: string): string | null {
  return text === 'none' ? null : decimalText(text, { decimals: 2 });
}

/**
 * The key is read from standard input: other users of the machine can see a command line, and the shell's history keeps
 * it.
 */
async function readKey(): Promise<string> {
  const key = (await readAll(process.stdin)).trim();
  if (!/^[\x21-\x7e]{8,500}$/.test(key)) throw new ServiceError('invalid_request', 'Standard input contains no key');
  return key;
}
