import { Module } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { TimeShares } from './time-shares';

/** A burst that can be served within 2 s is not refused: requests accepted in its first second wait during the next. */
const STANDING_MS = 1000;

/** The shares of a process. @param targetMs target waiting time under overload, in milliseconds */
export function createTimeShares(targetMs: number): TimeShares {
  return new TimeShares({ targetMs, standingMs: STANDING_MS });
}

const SHARES = {
  provide: TimeShares,
  inject: [AppConfig],
  useFactory: ({ OVERLOAD_WAIT_MS }: AppConfig) => createTimeShares(OVERLOAD_WAIT_MS),
};

/** The shares of the process's time, for all that charges its customers or asks before it works for them. */
@Module({ providers: [SHARES], exports: [TimeShares] })
export class FairnessModule {}
