import { Option, SubCommand } from 'nest-commander';
import { SmsOperatorService } from '@domains/sms';
import { OperatorCommand } from '../operator-command';
import { type Limit, read, storedLimit } from '../options';

interface Options {
  customer: string;
  enabled?: boolean;
  senderId?: string;
  dailyCap?: Limit;
  dailyPartsCap?: Limit;
  countries?: string[] | 'default';
}

@SubCommand({ name: 'configure', description: 'set what a customer may send' })
export class SmsConfigureCommand extends OperatorCommand<Options> {
  constructor(private readonly sms: SmsOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--enabled <true|false>', description: 'whether the customer may send' })
  parseEnabled(text: string): boolean {
    return read.yesOrNo(text);
  }

  @Option({ flags: '--sender-id <sender>', description: 'sender that recipients see' })
  parseSenderId(text: string): string {
    return text;
  }

  @Option({ flags: '--daily-cap <count>', description: 'SMS per calendar day, or default' })
  parseDailyCap(text: string): Limit {
    return read.limit(text);
  }

  @Option({ flags: '--daily-parts-cap <count>', description: 'parts of SMS per calendar day, or default' })
  parseDailyPartsCap(text: string): Limit {
    return read.limit(text);
  }

  @Option({
    flags: '--countries <codes>',
    description: 'countries that SMS may be sent to, such as NO,SE; all; or default',
  })
  parseCountries(text: string): string[] | 'default' {
    return text === 'default' ? text : text === 'all' ? [] : read.countries(text);
  }

  protected execute({ customer, enabled, senderId, dailyCap, dailyPartsCap, countries }: Options) {
    return this.sms.configure(this.actor, customer, {
      enabled,
      senderId,
      dailyCap: storedLimit(dailyCap),
      dailyPartsCap: storedLimit(dailyPartsCap),
      countries: countries === 'default' ? null : countries,
    });
  }
}
