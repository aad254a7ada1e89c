import { Module } from '@nestjs/common';
import { RefusalRecorderService } from './refusal-recorder.service';

/** Keeps refused requests: the API's side. */
@Module({ providers: [RefusalRecorderService], exports: [RefusalRecorderService] })
export class RefusalsModule {}
