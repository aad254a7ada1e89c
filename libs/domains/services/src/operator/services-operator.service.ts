import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { AuditService } from '@platform/audit';
import { ServiceError } from '@platform/errors';
import { SecretRedactor } from '@platform/secrets';
import { lockCustomer } from '@domains/customers';
import { CustomerServiceEntity } from '../entities/customer-service.entity';

/** A new service. */
export type NewService = Pick<CustomerServiceEntity, 'customerId' | 'type' | 'name'> &
  Partial<Pick<CustomerServiceEntity, 'status' | 'config'>>;
/** Filters of the list. */
export type ServiceFilter = Partial<Pick<CustomerServiceEntity, 'type' | 'status'>>;
/** A change of a service. */
export type ServiceChange = Partial<Pick<CustomerServiceEntity, 'name' | 'status' | 'config'>>;

/** A type of services that are not terminated. */
export interface ServiceType {
  type: string;
  /** How many services, and of how many customers. */
  services: number;
  customers: number;
}

/**
 * Lets another domain react to a change of a service in the same transaction. @throws ServiceError invalid_request to
 * refuse the change
 */
export type ServiceChangeListener = (
  manager: EntityManager,
  actor: string,
  service: CustomerServiceEntity,
) => Promise<void>;

/** Manages customers' services for the operator. Every change is audited. */
@Injectable()
export class ServicesOperatorService {
  private readonly listeners: ServiceChangeListener[] = [];
  private readonly preparations: ((manager: EntityManager, customerId: string) => Promise<void>)[] = [];

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly secrets: SecretRedactor,
  ) {}

  /** Calls `listener` for every service that is added or changed. */
  onChange(listener: ServiceChangeListener): void {
    this.listeners.push(listener);
  }

  /** Calls `prepare` before a customer's service is added or changed, in the same transaction. */
  beforeChange(prepare: (manager: EntityManager, customerId: string) => Promise<void>): void {
    this.preparations.push(prepare);
  }

  /**
   * Adds a service to a customer. @throws ServiceError not_found for an unknown customer; invalid_request for a config
   * that contains a secret
   */
  async add(actor: string, { type, ...given }: NewService): Promise<CustomerServiceEntity> {
    // One word for one type: what an announcement for "sms" is for must not depend on capital letters.
    const service = { ...given, type: type.trim().toLowerCase() };
    refuseSecrets(this.secrets, service.config);
    return this.dataSource.transaction(async (manager) => {
      const { customerId } = service;
      await lockCustomer(manager, customerId);
      for (const prepare of this.preparations) await prepare(manager, customerId);
      const { identifiers } = await manager.insert(CustomerServiceEntity, service as never);
      const id = (identifiers[0] as { id: number }).id;
      await this.audit.record(manager, {
        customerId,
        actor,
        action: 'service.add',
        metadata: { service_id: id, type: service.type, name: service.name },
      });
      return this.changed(manager, actor, customerId, id);
    });
  }

  /** Changes a service. @throws ServiceError not_found; invalid_request for a config that contains a secret */
  async update(actor: string, id: number, change: ServiceChange): Promise<CustomerServiceEntity> {
    refuseSecrets(this.secrets, change.config);
    return this.dataSource.transaction(async (manager) => {
      const { customerId } = await findService(manager, id);
      await lockCustomer(manager, customerId);
      for (const prepare of this.preparations) await prepare(manager, customerId);
      await manager.update(CustomerServiceEntity, { customerId, id }, {
        ...change,
        updatedAt: () => 'app.now()',
      } as never);
      await this.audit.record(manager, {
        customerId,
        actor,
        action: 'service.update',
        metadata: { service_id: id, ...change },
      });
      return this.changed(manager, actor, customerId, id);
    });
  }

  /** A service by its number. @throws ServiceError not_found */
  find(id: number): Promise<CustomerServiceEntity> {
    return findService(this.dataSource.manager, id);
  }

  /** The names of services by their numbers. */
  async namesOf(ids: readonly number[]): Promise<Map<number, string>> {
    if (ids.length === 0) return new Map();
    const select = { customerId: true, id: true, name: true } as const;
    const services = await this.dataSource.manager.find(CustomerServiceEntity, { select, where: { id: In([...ids]) } });
    return new Map(services.map(({ id, name }) => [id, name]));
  }

  /** The types of all services that are not terminated, of all customers. */
  types(): Promise<ServiceType[]> {
    return this.dataSource.query<ServiceType[]>(
      `select lower(type) as type, count(*)::int as services, count(distinct customer_id)::int as customers
       from customer_service where status <> 'terminated' group by 1 order by 1`,
    );
  }

  private async changed(
    manager: EntityManager,
    actor: string,
    customerId: string,
    id: number,
  ): Promise<CustomerServiceEntity> {
    const service = await manager.findOneByOrFail(CustomerServiceEntity, { customerId, id });
    for (const listener of this.listeners) await listener(manager, actor, service);
    return service;
  }

  /** A customer's services, newest first. */
  list(customerId: string, { type, status }: ServiceFilter = {}): Promise<CustomerServiceEntity[]> {
    return this.dataSource.manager.find(CustomerServiceEntity, {
      where: { customerId, ...(type !== undefined && { type }), ...(status && { status }) },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
  }
}

/** The operator gives only the service's number, so this query names no customer. */
async function findService(manager: EntityManager, id: number): Promise<CustomerServiceEntity> {
  const service = await manager.findOneBy(CustomerServiceEntity, { id });
  if (!service) throw new ServiceError('not_found', `There is no service ${id}`);
  return service;
}

/**
 * Refuses a config that contains a configured secret or a text that looks like one, as a name or a value at any
 * depth: its customer can read it. The error names the place, not the secret. @throws ServiceError invalid_request
 */
function refuseSecrets(redactor: SecretRedactor, config: Record<string, unknown> | undefined): void {
  const place = config && placeOfSecret(redactor, config, 'config');
  if (place === undefined) return;
  throw new ServiceError(
    'invalid_request',
    `${place} looks like a secret, and the customer can read config. Nothing was stored`,
  );
}

function placeOfSecret(redactor: SecretRedactor, value: unknown, place: string): string | undefined {
  if (typeof value !== 'object' || value === null) {
    return redactor.hasSecret(String(value)) ? place : undefined;
  }
  for (const [name, part] of Object.entries(value)) {
    if (redactor.hasSecret(name)) return `A name in ${place}`;
    const found = placeOfSecret(redactor, part, `${place}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
