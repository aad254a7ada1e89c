import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, Not } from 'typeorm';
import { AuditService } from '@platform/audit';
import { requireChange, requireNoFault, requireText, ServiceError } from '@platform/errors';
import { SecretRedactor } from '@platform/secrets';
import { lockCustomer } from '@domains/customers';
import { CustomerServiceEntity } from '../entities/customer-service.entity';
import { IncludedCreditPort } from '../ports/included-credit.port';
import { configFault, SERVICE_NAME_MAX, SERVICE_TYPE_MAX } from '../service-values';
import { findService } from './services-operator.service';

/** A new service. */
export type NewService = Pick<CustomerServiceEntity, 'customerId' | 'type' | 'name'> &
  Partial<Pick<CustomerServiceEntity, 'status' | 'config'>>;
/** A change of a service. */
export type ServiceChange = Partial<Pick<CustomerServiceEntity, 'name' | 'status' | 'config'>>;

/** Adds and changes customers' services for the operator. Every change is audited. */
@Injectable()
export class ServiceChangesOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly secrets: SecretRedactor,
    private readonly includedCredit: IncludedCreditPort,
  ) {}

  /**
   * Adds a service to a customer. @throws ServiceError not_found for an unknown customer; invalid_request for a text that is
   * too long, a config that contains a secret, or an included credit out of its range
   */
  async add(actor: string, { type, ...given }: NewService): Promise<CustomerServiceEntity> {
    requireText(type, 'The type', { min: 1, max: SERVICE_TYPE_MAX });
    // One word for one type: what an announcement for "sms" is for must not depend on capital letters.
    const service = { ...given, type: type.trim().toLowerCase() };
    this.checkGiven(service.type, service);
    return this.dataSource.transaction(async (manager) => {
      const { customerId } = service;
      await lockCustomer(manager, customerId);
      await this.includedCredit.beginMonth(manager, customerId);
      const { identifiers } = await manager.insert(CustomerServiceEntity, service as never);
      const id = (identifiers[0] as { id: number }).id;
      await this.audit.record(manager, {
        customerId,
        actor,
        action: 'service.add',
        metadata: { service_id: id, type: service.type, name: service.name },
      });
      return this.applied(manager, actor, customerId, id);
    });
  }

  /**
   * Changes a service. @param seen its `updatedAt` as the person has read it: the config is replaced as a whole
   * @throws ServiceError not_found; invalid_request for a text that is too long, a config that contains a secret, an included credit
   * out of its range, no change at all, or if the service is not as the person has seen it
   */
  async update(actor: string, id: number, given: ServiceChange, seen?: Date): Promise<CustomerServiceEntity> {
    const change = requireChange(given);
    return this.dataSource.transaction(async (manager) => {
      const { customerId, type } = await findService(manager, id);
      this.checkGiven(type, change);
      await lockCustomer(manager, customerId);
      const { updatedAt } = await findService(manager, id);
      if (seen !== undefined && seen.getTime() !== updatedAt.getTime())
        throw new ServiceError('invalid_request', 'Meanwhile the service was changed: read it again');
      await this.includedCredit.beginMonth(manager, customerId);
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
      return this.applied(manager, actor, customerId, id);
    });
  }

  private checkGiven(type: string, { name, config }: ServiceChange): void {
    if (name !== undefined) requireText(name, 'The name', { min: 1, max: SERVICE_NAME_MAX });
    if (config === undefined) return;
    requireNoFault('The config', configFault(config));
    this.includedCredit.assertConfig(type, config);
    refuseSecrets(this.secrets, config);
  }

  private async applied(
    manager: EntityManager,
    actor: string,
    customerId: string,
    id: number,
  ): Promise<CustomerServiceEntity> {
    const service = await manager.findOneByOrFail(CustomerServiceEntity, { customerId, id });
    await this.includedCredit.applyService(manager, actor, service);
    return service;
  }
}

/**
 * Sets values in the config of the customer's active service of a type, within the caller's transaction; adds the service if there is
 * none that is not terminated. @throws ServiceError invalid_request if the customer has several such services, or one that is not active
 */
export async function setInConfig(
  manager: EntityManager,
  customerId: string,
  { type, name }: Pick<CustomerServiceEntity, 'type' | 'name'>,
  values: Record<string, unknown>,
): Promise<void> {
  const services = await manager.find(CustomerServiceEntity, {
    select: { customerId: true, id: true, status: true },
    where: { customerId, type, status: Not('terminated') },
    order: { id: 'ASC' },
  });
  const [service, ...others] = services.filter(({ status }) => status === 'active');
  const names = Object.keys(values).join(', ');
  if (others.length > 0)
    throw new ServiceError(
      'invalid_request',
      `The customer has several ${type} services; set ${names} with: service update`,
    );
  const [inactive] = services;
  if (!service && inactive)
    throw new ServiceError(
      'invalid_request',
      `The customer's ${type} service ${inactive.id} is ${inactive.status}; activate it first, or set ${names} with: service update`,
    );
  if (service)
    await manager.query(
      'update customer_service set config = config || $3::jsonb, updated_at = app.now() where customer_id = $1 and id = $2',
      [customerId, service.id, JSON.stringify(values)],
    );
  else
    await manager.query(
      'insert into customer_service (customer_id, type, name, config) values ($1, $2, $3, $4::jsonb)',
      [customerId, type, name, JSON.stringify(values)],
    );
}

/**
 * Refuses a config that contains a configured secret or a text that looks like one, as a name or a value at any
 * depth: its customer can read it. The error names the place, not the secret. @throws ServiceError invalid_request
 */
function refuseSecrets(redactor: SecretRedactor, config: Record<string, unknown>): void {
  const place = placeOfSecret(redactor, config, 'config');
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
