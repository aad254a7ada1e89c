import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import type { Page } from '@app/pagination';

/** Which part of a list is asked for. */
export class PageQueryDto {
  /** How many items to return at most. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 1, maximum: 200, default: 50 })
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'limit must be a whole number' })
  @Min(1, { message: 'limit must be at least 1' })
  @Max(200, { message: 'limit must be at most 200' })
  limit: number = 50;

  /** The `next_cursor` of the page before; leave it out for the first page. */
  @ApiProperty({ required: false, maxLength: 200, pattern: '^[\\w-]+$' })
  @IsOptional()
  @IsString({ message: 'cursor must be a text' })
  @MaxLength(200, { message: 'cursor must be a next_cursor of this list' })
  cursor?: string;
}

/** What every list has besides its `data`. */
export class PageDto {
  /**
   * Whether there are more items after these.
   * @example false
   */
  has_more!: boolean;

  /**
   * Send it as `cursor` to get the next page; null on the last.
   * @example null
   */
  @ApiProperty({ type: String, nullable: true, maxLength: 200 })
  next_cursor!: string | null;
}

/** A page as it is sent. */
export function toPageDto<Item, Dto>(page: Page<Item>, toDto: (item: Item) => Dto): PageDto & { data: Dto[] } {
  return { data: page.items.map(toDto), has_more: page.hasMore, next_cursor: page.nextCursor };
}
