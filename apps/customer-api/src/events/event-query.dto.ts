import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional } from 'class-validator';
import {
  CUSTOMER_EVENT_TYPES,
  type CustomerEventType,
  type EventPage,
  type EventRequest,
  unknownTypeFault,
} from '@domains/events';
import { FieldRule, IsQueryNumber, PageQueryDto } from '@platform/http';
import { EventDto, type EventView, toEventDto } from '@records/event.dto';

/** The longest that a request may wait, in seconds. */
const LONGEST_WAIT = 30;

/** What is asked for of the event log. */
export class EventQueryDto extends PageQueryDto {
  /** Only events of these types, separated by commas. */
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value))
  @FieldRule(typesFault)
  @ApiProperty({
    required: false,
    type: [String],
    enum: CUSTOMER_EVENT_TYPES,
    explode: false,
    style: 'form',
    example: ['ticket.replied', 'ticket.status_changed'],
  } as object)
  types?: CustomerEventType[];

  /** If there is no event yet, seconds to wait for one. */
  @IsOptional()
  @IsQueryNumber({ min: 0, max: LONGEST_WAIT })
  @ApiProperty({ required: false, type: 'integer', format: 'int32', minimum: 0, maximum: LONGEST_WAIT, default: 0 })
  wait: number = 0;
}

/** Events, oldest first. */
export class EventPageDto {
  /** The events. */
  data!: EventDto[];

  /**
   * Whether there are more events already.
   * @example false
   */
  has_more!: boolean;

  /** The `cursor` of the events that come after these. There is one also if there were no events. */
  @ApiProperty({ type: String, maxLength: 200, example: '42' })
  next_cursor!: string;
}

/** What a query asks for. */
export function toEventRequest({ cursor, types, limit }: EventQueryDto): EventRequest {
  return { after: cursor, types, limit };
}

/** Maps events to their DTO. */
export function toEventPageDto({ events, more, position }: EventPage, view: EventView): EventPageDto {
  return { data: events.map((event) => toEventDto(event, view)), has_more: more, next_cursor: position };
}

function typesFault(value: unknown): string | undefined {
  return Array.isArray(value) ? unknownTypeFault(value) : 'must be types of events, separated by commas';
}
