import { ApiProperty } from '@nestjs/swagger';
import type { CustomerProfile } from '@domains/customers';

/** The customer that the token belongs to. */
export class CustomerDto {
  /** The customer's id. */
  @ApiProperty({ format: 'uuid', example: '0d9f1c1e-58a8-4c0b-9a55-0a4f6d1f7c10' })
  id!: string;

  /**
   * The customer's name.
   * @example 'Fjordlys AS'
   */
  name!: string;

  /**
   * Norwegian organisation number, nine digits.
   * @example '123456785'
   */
  organization_number!: string;

  /**
   * The operator's number for the customer.
   * @example '100001'
   */
  customer_number!: string;

  /** The e-mail address to which the operator writes. */
  @ApiProperty({ format: 'email', example: 'it@fjordlys.example' })
  email!: string;

  /**
   * Whether the customer is active. The tokens of an inactive customer are refused.
   * @example true
   */
  active!: boolean;

  /** When the customer was created. */
  @ApiProperty({ format: 'date-time', example: '2026-01-15T09:30:00.000000Z' })
  created_at!: string;
}

/** Maps a profile to its DTO: only the named fields, even if the row gets more. */
export function toCustomerDto(profile: CustomerProfile): CustomerDto {
  const { id, name, organizationNumber, customerNumber, email, active, createdAt } = profile;
  return {
    id,
    name,
    organization_number: organizationNumber,
    customer_number: customerNumber,
    email,
    active,
    created_at: createdAt,
  };
}
