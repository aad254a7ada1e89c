import type { Noun } from '../command';
import { customerActivate } from './customer-activate.command';
import { customerCreate } from './customer-create.command';
import { customerDeactivate } from './customer-deactivate.command';
import { customerErase } from './customer-erase.command';
import { customerExport } from './customer-export.command';
import { customerImport } from './customer-import.command';
import { customerLimits } from './customer-limits.command';
import { customerList } from './customer-list.command';
import { customerShow } from './customer-show.command';

export const customerNoun: Noun = {
  name: 'customer',
  description: 'customers and their limits',
  commands: [
    ...[customerCreate, customerImport, customerList, customerShow, customerActivate, customerDeactivate],
    ...[customerLimits, customerExport, customerErase],
  ],
};
