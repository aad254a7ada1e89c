import type { ServiceStatus } from '@domains/services';
import * as read from '../../options/read';

export const serviceStatus = read.oneOf<ServiceStatus>()('pending', 'active', 'suspended', 'terminated');
