import { text as readAll } from 'node:stream/consumers';
import { decimalText } from '@platform/money';
import { flag, optional } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { usageError } from '../../program/command-error';
import { command } from '../command';

export const aiConfigure = command({
  name: 'configure',
  description: "set a customer's AI up, or change it; what is left out stays",
  options: {
    customer,
    enabled: optional('--enabled <true|false>', 'whether the customer may use AI', read.yesOrNo),
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
  },
  examples: [
    '--customer 100001 --enabled true --model claude-haiku-4-5 --included-nok 500',
    '--customer 100001 --key-stdin < key.txt',
  ],
  confirm: ({ dropKey }) => (dropKey ? "The customer's own key is deleted. Go on?" : undefined),
  services: () => import('../../services/ai.services.js'),
  async run({ configuration }, { customer, keyStdin, dropKey, ...change }, { actor }) {
    if (keyStdin && dropKey) throw usageError('Give --key-stdin or --drop-key, not both');
    const apiKey = keyStdin ? await readKey() : dropKey ? null : undefined;
    return configuration.configure(actor, customer, { ...change, apiKey });
  },
});

function limit(text: string): string | null {
  return text === 'none' ? null : decimalText(text, { decimals: 2 });
}

/**
 * The key is read from standard input: other users of the machine can see a command line, and the shell's history keeps
 * it.
 */
async function readKey(): Promise<string> {
  const key = (await readAll(process.stdin)).trim();
  if (!/^[\x21-\x7e]{8,500}$/.test(key)) throw usageError('Standard input contains no key');
  return key;
}
