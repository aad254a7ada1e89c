import { SubCommand } from 'nest-commander';
import { ServicesOperatorService, SERVICE_STATUSES } from '@domains/services';
import { optional, required, type Values } from '../../options/option';
import * as read from '../../options/read';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = {
  customer,
  type: required('--type <type>', 'kind, such as ai, sms or hosting'),
  name: required('--name <name>', 'name of the service'),
  status: optional('--status <status>', 'pending, active, suspended or terminated', read.oneOf(SERVICE_STATUSES)),
  config: optional('--config <json>', 'settings, as a JSON object', read.json),
};

@SubCommand({ name: 'add', description: 'add a service to a customer' })
export class ServiceAddCommand extends commandWith(options) {
  constructor(private readonly customerServices: ServicesOperatorService) {
    super();
  }

  protected execute({ customer, ...service }: Values<typeof options>) {
    const { type, name, status, config } = service;
    return this.customerServices.add(this.actor, { customerId: customer, type, name, status, config });
  }
}
