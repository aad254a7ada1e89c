import { ApiProperty } from '@nestjs/swagger';

/** The token that a message was sent with. */
export class UsageTokenDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  /** What the operator calls it; null if it has no name. */
  @ApiProperty({ type: String, nullable: true, maxLength: 80, example: 'ERP production' })
  name!: string | null;
}
