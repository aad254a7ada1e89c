import { Module } from '@nestjs/common';
import { ClsModule } from 'nestjs-cls';
import { CustomerContextService } from './customer-context.service';

/**
 * The asynchronous context. Without `forRoot`, whose middleware, guard and interceptor would each run for every
 * request: the context begins where the customer is known, in an interceptor of ours.
 */
@Module({ imports: [ClsModule], providers: [CustomerContextService], exports: [CustomerContextService] })
export class ContextModule {}
