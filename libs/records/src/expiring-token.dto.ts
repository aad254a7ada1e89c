import { ApiProperty } from '@nestjs/swagger';

/** A token that expires soon, as its event has it. */
export interface ExpiringTokenRecord {
  id: string;
  name: string | null;
  /** RFC 3339. */
  expiresAt: string;
}

/** A token that expires soon. */
export class ExpiringTokenDto {
  /** The token's id, which the operator knows it by. It is not the token. */
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** The name that the operator gave it. */
  @ApiProperty({ type: String, nullable: true, maxLength: 100, example: 'ERP production' })
  name!: string | null;

  /** When it expires. Ask the operator for a new one before. */
  @ApiProperty({ format: 'date-time', example: '2026-12-04T12:00:00.000000Z' })
  expires_at!: string;
}

/** Maps a token to its DTO. */
export function toExpiringTokenDto({ id, name, expiresAt }: ExpiringTokenRecord): ExpiringTokenDto {
  return { id, name, expires_at: expiresAt };
}
