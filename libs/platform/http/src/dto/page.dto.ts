import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { Page } from '@platform/pagination';
import { FieldRule } from '../fields/field-rule';
import { IsQueryNumber } from '../fields/is-whole-number.decorator';

/** Which part of a list is asked for. */
export class PageQueryDto {
  /** How many items to return at most. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 1, maximum: 200, default: 50 })
  @IsOptional()
  @IsQueryNumber({ min: 1, max: 200 })
  limit: number = 50;

  /** The `next_cursor` of the page before; leave it out for the first page. */
  @ApiProperty({ required: false, maxLength: 200, pattern: '^[\\w-]+$' })
  @IsOptional()
  @FieldRule((value) => (isCursor(value) ? undefined : 'must be a next_cursor of this list'))
  cursor?: string;
}

/** Whether it has the form of a cursor; whether it is one of the list that is read, the list knows. */
function isCursor(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 200;
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
