import { ApiProperty } from '@nestjs/swagger';
import type { CustomerName } from '@domains/customers';

/** The customer in the path. */
export const CUSTOMER_ID = {
  name: 'id',
  description: 'The customer.',
  schema: { type: 'string', format: 'uuid' },
} as const;

/** The reply if there is no such customer. */
export const NO_SUCH_CUSTOMER = ['not_found', 'There is no customer b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'] as const;

/** The customer of a record. */
export class OfCustomerDto {
  /** The customer. */
  @ApiProperty({ format: 'uuid' })
  customer_id!: string;

  /**
   * Its number.
   * @example '100001'
   */
  @ApiProperty({ maxLength: 100 })
  customer_number!: string;

  /**
   * Its name.
   * @example 'Fjordlys AS'
   */
  @ApiProperty({ maxLength: 500 })
  customer_name!: string;
}

/** The fields of a DTO, which others are made of. */
export type Fields<Dto> = { [Name in keyof Dto]: Dto[Name] };

/** Maps the customer of a record. */
export function toOfCustomerDto({ id, customerNumber, name }: CustomerName): Fields<OfCustomerDto> {
  return { customer_id: id, customer_number: customerNumber, customer_name: name };
}
