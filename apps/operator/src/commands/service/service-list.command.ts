import { SubCommand } from 'nest-commander';
import { ServicesOperatorService } from '@domains/services';
import type { Values } from '../../options/option';
import { customer } from '../../options/shared-options';
import { commandWith } from '../operator-command';

const options = { customer };

@SubCommand({ name: 'list', description: 'list the services of a customer' })
export class ServiceListCommand extends commandWith(options) {
  constructor(private readonly customerServices: ServicesOperatorService) {
    super();
  }

  protected execute({ customer }: Values<typeof options>) {
    return this.customerServices.list(customer);
  }
}
