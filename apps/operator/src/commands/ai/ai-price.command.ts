import { ServiceError } from '@platform/errors';
import { decimalText } from '@platform/money';
import { optional, required } from '../../options/option';
import * as read from '../../options/read';
import { command } from '../command';

export const aiPrice = command({
  name: 'price',
  description: 'set what a model costs, in NOK per million tokens, from a date on',
  options: {
    model: required('--model <model>', "the provider's name of the model", modelName),
    input: required('--input <nok>', 'input tokens', rate),
    output: required('--output <nok>', 'output tokens', rate),
    cacheWrite5m: optional('--cache-write-5m <nok>', 'cache writes for 5 minutes (1.25 × input)', rate),
    cacheWrite1h: optional('--cache-write-1h <nok>', 'cache writes for 1 hour (2 × input)', rate),
    cacheRead: optional('--cache-read <nok>', 'cache reads (0.1 × input)', rate),
    from: optional('--from <date>', 'first day, YYYY-MM-DD in the billing time zone (now)', read.date),
  },
  examples: ['--model claude-haiku-4-5 --input 12 --output 60 --from 2027-02-01'],
  confirm: ({ model, input, output }) =>
    `${model} costs ${input} and ${output} NOK; a price is never changed, only replaced. Go on?`,
  services: () => import('../../services/ai.services.js'),
  run: ({ prices }, { model, input, output, cacheWrite5m, cacheWrite1h, cacheRead, from }, { actor }) =>
    prices.set(actor, { model, input, output, cacheWrite5m, cacheWrite1h, cacheRead, from }),
});

function rate(text: string): string {
  return decimalText(text, { decimals: 6, most: 1_000_000 });
}

function modelName(text: string): string {
  if (!/^[\w.:@/-]{1,200}$/.test(text)) throw new ServiceError('invalid_request', `${text} is not the name of a model`);
  return text;
}
