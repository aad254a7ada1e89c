import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import type { Page, PageRequest } from '@platform/pagination';
import { FieldRule, IsQueryNumber, IsTime } from '../field-rules';

/** Characters of a cursor. The longest one has a model's name, of 200 characters, and two days. */
const CURSOR_MAX = 400;

/** Paging parameters. */
export class PageQueryDto {
  /** Maximum number of items. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 1, maximum: 200, default: 50 })
  @IsOptional()
  @IsQueryNumber({ min: 1, max: 200 })
  limit: number = 50;

  /** The `next_cursor` of the previous page; leave it out for the first page. */
  @ApiProperty({ required: false, maxLength: CURSOR_MAX, pattern: '^[\\w-]+$' })
  @IsOptional()
  @FieldRule((value) => (isCursor(value) ? undefined : 'must be a next_cursor of this list'))
  cursor?: string;
}

/** Paging parameters, and the filters that every list has. */
export class ListQueryDto extends PageQueryDto {
  /** Only items created at this moment or later, RFC 3339. */
  @IsOptional()
  @IsTime()
  @ApiProperty({ example: '2026-01-01T00:00:00.000000Z' })
  created_after?: string;

  /** Only items created before this moment, RFC 3339. */
  @IsOptional()
  @IsTime({ notBefore: 'created_after' })
  @ApiProperty({ example: '2027-01-01T00:00:00.000000Z' })
  created_before?: string;
}

/** The page that a query asks for. */
export function toPageRequest({ limit, cursor, created_after, created_before }: ListQueryDto): PageRequest {
  return { limit, cursor, createdAfter: created_after, createdBefore: created_before };
}

/** Checks the format of a cursor only; the list checks whether the cursor is one of its own. */
export function isCursor(value: unknown, longest = CURSOR_MAX): boolean {
  return typeof value === 'string' && value.length <= longest;
}

/** The fields that every page has besides `data`. */
export class PageDto {
  /**
   * Whether there are more items after this page.
   * @example false
   */
  has_more!: boolean;

  /**
   * The `cursor` of the next page; null on the last page.
   * @example null
   */
  @ApiProperty({ type: String, nullable: true, maxLength: CURSOR_MAX })
  next_cursor!: string | null;
}

/** Maps a page to its DTO. */
export function toPageDto<Item, Dto>(page: Page<Item>, toDto: (item: Item) => Dto): PageDto & { data: Dto[] } {
  return { data: page.items.map(toDto), has_more: page.hasMore, next_cursor: page.nextCursor };
}
