import type { EntityManager } from 'typeorm';
import type { CustomerServiceEntity } from '../entities/customer-service.entity';

/**
 * The included credit of AI, which the config of a service of type `ai` sets. Every change of a service calls it, in its
 * transaction: a program without it cannot change services.
 */
export abstract class IncludedCreditPort {
  /** Prepares a customer's account for a change, with the included credit as it is before. */
  abstract beginMonth(manager: EntityManager, customerId: string): Promise<void>;

  /** Checks the config that a service is given. @throws ServiceError invalid_request for an included credit out of its range */
  abstract assertConfig(type: string, config: Record<string, unknown>): void;

  /** Applies a service that was added or changed: a raise of the included credit is granted at once. */
  abstract applyService(manager: EntityManager, actor: string, service: CustomerServiceEntity): Promise<void>;
}
