import { Option, SubCommand } from 'nest-commander';
import { ServicesOperatorService, SERVICE_STATUSES, type ServiceStatus } from '@domains/services';
import { OperatorCommand } from '../operator-command';
import { read } from '../options';

interface Options {
  service: number;
  name?: string;
  status?: ServiceStatus;
  config?: Record<string, unknown>;
}

@SubCommand({ name: 'update', description: 'change a service' })
export class ServiceUpdateCommand extends OperatorCommand<Options> {
  constructor(private readonly customerServices: ServicesOperatorService) {
    super();
  }

  @Option({ flags: '--service <id>', description: 'number of the service', required: true })
  parseService(text: string): number {
    return read.wholeNumber(text);
  }

  @Option({ flags: '--name <name>', description: 'new name' })
  parseName(text: string): string {
    return text;
  }

  @Option({ flags: '--status <status>', description: 'pending, active, suspended or terminated' })
  parseStatus(text: string): ServiceStatus {
    return read.oneOf(SERVICE_STATUSES, text);
  }

  @Option({
    flags: '--config <json>',
    description:
      'settings, as a JSON object; of an ai service, an increase of monthly_included_nok is added at once, a decrease applies from next month',
  })
  parseConfig(text: string): Record<string, unknown> {
    return read.json(text);
  }

  protected execute({ service, name, status, config }: Options) {
    return this.customerServices.update(this.actor, service, { name, status, config });
  }
}
