import type { Noun } from '../command';
import { serviceAdd } from './service-add.command';
import { serviceList } from './service-list.command';
import { serviceUpdate } from './service-update.command';

export const serviceNoun: Noun = {
  name: 'service',
  description: 'services of customers',
  commands: [serviceAdd, serviceUpdate, serviceList],
};
