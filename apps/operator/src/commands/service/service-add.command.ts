import { Option, SubCommand } from 'nest-commander';
import { ServicesOperatorService, SERVICE_STATUSES, type ServiceStatus } from '@domains/services';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  customer: string;
  type: string;
  name: string;
  status?: ServiceStatus;
  config?: Record<string, unknown>;
}

@SubCommand({ name: 'add', description: 'add a service to a customer' })
export class ServiceAddCommand extends OperatorCommand<Options> {
  constructor(private readonly customerServices: ServicesOperatorService) {
    super();
  }

  @Option({ flags: '--customer <id>', description: 'id of the customer', required: true })
  parseCustomer(text: string): string {
    return read.uuid(text);
  }

  @Option({ flags: '--type <type>', description: 'kind, such as ai, sms or hosting', required: true })
  parseType(text: string): string {
    return text;
  }

  @Option({ flags: '--name <name>', description: 'name of the service', required: true })
  parseName(text: string): string {
    return text;
  }

  @Option({ flags: '--status <status>', description: 'pending, active, suspended or terminated' })
  parseStatus(text: string): ServiceStatus {
    return read.oneOf(SERVICE_STATUSES, text);
  }

  @Option({ flags: '--config <json>', description: 'settings, as a JSON object' })
  parseConfig(text: string): Record<string, unknown> {
    return read.json(text);
  }

  protected execute({ customer, ...service }: Options) {
    const { type, name, status, config } = service;
    return this.customerServices.add(this.actor, { customerId: customer, type, name, status, config });
  }
}
