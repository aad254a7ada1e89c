import { Injectable } from '@nestjs/common';
import { type DeliveredEvent, EventBodiesPort } from '@domains/events';
import { AppConfig } from '@platform/config';
import type { Scope } from '@platform/tokens';
import { toEventDto } from '@records/event.dto';

/** Writes events as the API shows them. */
@Injectable()
export class EventBodiesService extends EventBodiesPort {
  private readonly baseUrl: string;

  constructor({ PUBLIC_URL, PORT }: AppConfig) {
    super();
    this.baseUrl = `${PUBLIC_URL ?? `http://localhost:${PORT}`}/api/v1`;
  }

  write(event: DeliveredEvent, scopes: readonly Scope[] | null): string {
    return JSON.stringify(toEventDto(event, { scopes: scopes && new Set(scopes), baseUrl: this.baseUrl }));
  }
}
