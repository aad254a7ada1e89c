import { text as readAll } from 'node:stream/consumers';
import { Option, SubCommand } from 'nest-commander';
import { AiConfigurationOperatorService, type AiConfigurationView } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { decimalText } from '@platform/money';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
  enabled?: boolean;
  model?: string;
  includedNok?: string;
  monthlyLimitNok?: string | null;
  totalLimitNok?: string | null;
  keyStdin?: boolean;
  dropKey?: boolean;
}

@SubCommand({ name: 'configure', description: "set a customer's AI up, or change it; what is left out stays" })
export class AiConfigureCommand extends OperatorCommand<Options> {
  constructor(private readonly configuration: AiConfigurationOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--enabled <yes>', description: 'true or false' })
  parseEnabled(text: string): boolean {
    return read.yesOrNo(text);
  }

  @Option({ flags: '--model <model>', description: 'model that answers; it must have a price' })
  parseModel(text: string): string {
    return text;
  }

  @Option({
    flags: '--included-nok <amount>',
    description: 'included credit per month; an increase is added at once, a decrease applies from next month',
  })
  parseIncludedNok(text: string): string {
    return decimalText(text, { decimals: 2 });
  }

  @Option({
    flags: '--monthly-limit-nok <amount>',
    description: 'most included credit that may be used in a month; none removes the limit',
  })
  parseMonthlyLimitNok(text: string): string | null {
    return limit(text);
  }

  @Option({
    flags: '--total-limit-nok <amount>',
    description: 'most that may be used in a month, purchased credit included; none removes the limit',
  })
  parseTotalLimitNok(text: string): string | null {
    return limit(text);
  }

  @Option({ flags: '--key-stdin', description: "read the customer's own key from standard input" })
  parseKeyStdin(): boolean {
    return true;
  }

  @Option({ flags: '--drop-key', description: "go back from the customer's own key to the service-wide one" })
  parseDropKey(): boolean {
    return true;
  }

  protected async execute({ customer, keyStdin, dropKey, ...change }: Options): Promise<AiConfigurationView> {
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
