import { SubCommand } from 'nest-commander';
import { ServicesOperatorService, SERVICE_STATUSES } from '@domains/services';
import { optional, required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { commandWith } from '../operator-command';

const options = {
  service: required('--service <id>', 'number of the service', read.wholeNumber),
  name: optional('--name <name>', 'new name'),
  status: optional('--status <status>', 'pending, active, suspended or terminated', read.oneOf(SERVICE_STATUSES)),
  config: optional(
    '--config <json>',
    'settings, as a JSON object; of an ai service, an increase of monthly_included_nok is added at once, a decrease applies from next month',
    read.json,
  ),
};

@SubCommand({ name: 'update', description: 'change a service' })
export class ServiceUpdateCommand extends commandWith(options) {
  constructor(private readonly customerServices: ServicesOperatorService) {
    super();
  }

  protected execute({ service, name, status, config }: Values<typeof options>) {
    return this.customerServices.update(this.actor, service, { name, status, config });
  }
}
