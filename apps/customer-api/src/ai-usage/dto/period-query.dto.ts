import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsDay, PageQueryDto } from '@platform/http';

/** Days of a list, in the operator's time zone. */
export class PeriodQueryDto extends PageQueryDto {
  /** Only what was charged or booked on this day or later, in the operator's time zone. */
  @ApiProperty({ required: false, format: 'date', example: '2026-01-01' })
  @IsOptional()
  @IsDay()
  from?: string;

  /** Only what was charged or booked on this day or earlier. */
  @ApiProperty({ required: false, format: 'date', example: '2026-12-31' })
  @IsOptional()
  @IsDay({ notBefore: 'from' })
  to?: string;
}
