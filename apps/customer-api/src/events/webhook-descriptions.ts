import { CUSTOMER_EVENT_TYPES, CUSTOMER_EVENTS } from '@domains/events';
import type { InterfaceParts } from '@platform/http';
import { EVENT_RECORDS } from '@records/event.dto';

/** The webhooks of the OpenAPI document: each type of events, with the DTO of its record. */
export const WEBHOOKS: InterfaceParts['webhooks'] = Object.fromEntries(
  CUSTOMER_EVENT_TYPES.map((type) => [type, { when: CUSTOMER_EVENTS[type].when, dto: EVENT_RECORDS[type].dto }]),
);
