import { Foundation1763683200000 } from './1763683200000-foundation';
import { Customer1763683210000 } from './1763683210000-customer';
import { ServiceToken1763683220000 } from './1763683220000-service-token';
import { CustomerService1763683230000 } from './1763683230000-customer-service';
import { StatusEvent1763683240000 } from './1763683240000-status-event';
import { AuditLog1763683250000 } from './1763683250000-audit-log';
import { ScheduledJob1763683260000 } from './1763683260000-scheduled-job';

/** Every migration, oldest first. A migration that has run anywhere is never edited. */
export const migrations = [
  Foundation1763683200000,
  Customer1763683210000,
  ServiceToken1763683220000,
  CustomerService1763683230000,
  StatusEvent1763683240000,
  AuditLog1763683250000,
  ScheduledJob1763683260000,
];
