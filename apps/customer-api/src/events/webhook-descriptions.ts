import { CUSTOMER_EVENT_TYPES, CUSTOMER_EVENTS, TEST_TYPE } from '@domains/events';
import type { InterfaceParts } from '@platform/http';
import { EVENT_RECORDS } from '@records/event.dto';
import { WebhookTestDto } from '../webhooks/webhook.dto';

/** The webhooks of the OpenAPI document: each type of events, with the DTO of its record, and the test. */
export const WEBHOOKS: InterfaceParts['webhooks'] = {
  ...Object.fromEntries(
    CUSTOMER_EVENT_TYPES.map((type) => [type, { when: CUSTOMER_EVENTS[type].when, dto: EVENT_RECORDS[type].dto }]),
  ),
  [TEST_TYPE]: {
    when: 'You asked for it with `POST /webhooks/endpoints/{id}/test`. It is not in `GET /events`',
    dto: WebhookTestDto,
    isWhole: true,
  },
};
