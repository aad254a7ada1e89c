import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { type InboxPage, type InboxRequest, MOST_COUNTED } from '@platform/pagination';
import { FieldRule, IsOneOf, IsQueryNumber, IsText } from '../field-rules';
import { isCursor, PageDto } from './page.dto';

/** Paging parameters of an inbox. Each inbox has a `sort` of its own. */
export class InboxQueryDto {
  /** Maximum number of items. */
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 1, maximum: 200, default: 25 })
  @IsOptional()
  @IsQueryNumber({ min: 1, max: 200 })
  limit: number = 25;

  /** The `next_cursor` of the previous page, with the same filters and order; leave it out for the first page. */
  @ApiProperty({ required: false, maxLength: 1500, pattern: '^[\\w-]+$' })
  @IsOptional()
  @FieldRule((value) => (isCursor(value, 1500) ? undefined : 'must be a next_cursor of this list'))
  cursor?: string;
}

/** The order of an inbox: one of the names, with `-` in front for descending. */
export function SortBy(names: readonly string[], usual: string): PropertyDecorator {
  const choices = names.flatMap((name) => [name, `-${name}`]);
  return applyDecorators(
    IsOptional(),
    IsOneOf(choices),
    ApiProperty({ required: false, enum: choices, default: usual, description: 'The order; `-` means descending.' }),
  );
}

/** A text that an inbox is searched for. */
export function IsSearch(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsText({ min: 1, max: 200 }), ApiProperty({ required: false }));
}

/** The page that a query asks for. */
export function toInboxRequest({ limit, cursor, sort }: InboxQueryDto & { sort?: string }): InboxRequest {
  return { limit, cursor, sort };
}

/** Items of a list that is sent whole, in the document. */
export const WHOLE_LIST_MAX = 10_000;

/** The fields that every page of an inbox has besides `data`. */
export class InboxPageDto extends PageDto {
  /** Number of items in all pages, counted to 10000. */
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, maximum: MOST_COUNTED, example: 1 })
  total!: number;

  /**
   * Whether `total` is the number; if not, there are more than that.
   * @example true
   */
  total_is_exact!: boolean;
}

/** Maps a page of an inbox to its DTO. */
export function toInboxPageDto<Item, Dto>(
  page: Omit<InboxPage<Item>, 'map'>,
  toDto: (item: Item) => Dto,
): InboxPageDto & { data: Dto[] } {
  const { items, hasMore, nextCursor, total, totalIsExact } = page;
  return { data: items.map(toDto), has_more: hasMore, next_cursor: nextCursor, total, total_is_exact: totalIsExact };
}
