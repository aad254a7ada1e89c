import { Module } from '@nestjs/common';
import { TokenNamesService } from './token-names.service';

/** The names of tokens, for whoever shows which token did something. */
@Module({ providers: [TokenNamesService], exports: [TokenNamesService] })
export class TokenNamesModule {}
