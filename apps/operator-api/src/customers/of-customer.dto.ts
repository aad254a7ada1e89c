import { ApiProperty } from '@nestjs/swagger';
import type { CustomerName } from '@domains/customers';

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
