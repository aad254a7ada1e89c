import { Injectable } from '@nestjs/common';

/** The time. Injected, so that a test can turn the month. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}
