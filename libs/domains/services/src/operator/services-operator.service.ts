import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In, Raw } from 'typeorm';
import { ServiceError } from '@platform/errors';
import { CustomerServiceEntity } from '../entities/customer-service.entity';

/** Filters of the list. */
export type ServiceFilter = Partial<Pick<CustomerServiceEntity, 'type' | 'status'>>;

/** A type of services that are not terminated. */
export interface ServiceType {
  type: string;
  /** How many services, and of how many customers. */
  services: number;
  customers: number;
}

/** Reads customers' services for the operator. */
@Injectable()
export class ServicesOperatorService {
  constructor(private readonly dataSource: DataSource) {}

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

  /** A customer's services, newest first. Types in small and capital letters are alike, as where one is added or announced to. */
  list(customerId: string, { type, status }: ServiceFilter = {}): Promise<CustomerServiceEntity[]> {
    const ofType = { type: Raw((column) => `lower(${column}) = lower(:type)`, { type }) };
    return this.dataSource.manager.find(CustomerServiceEntity, {
      where: { customerId, ...(type !== undefined && ofType), ...(status && { status }) },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
  }
}

/** The operator gives only the service's number, so this query names no customer. */
export async function findService(manager: EntityManager, id: number): Promise<CustomerServiceEntity> {
  const service = await manager.findOneBy(CustomerServiceEntity, { id });
  if (!service) throw new ServiceError('not_found', `There is no service ${id}`);
  return service;
}
