import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PathId, ProblemReplies, WithoutBody, WithoutEffect } from '@platform/http';
import {
  type AuthenticatedOperator,
  OperatorPasskeysService,
  OperatorSessionsService,
} from '@platform/operator-accounts';
import { AnyRole, CurrentOperator, FreshLogin } from '../access/operator-access';
import { CreatePasskeyDto, PasskeyDto, PasskeyListDto, SessionListDto, toPasskeyDto, toSessionDto } from './login.dto';
import { LoginsService } from './logins.service';

const SESSION_ID = { name: 'id', description: 'The session.', schema: { type: 'string', format: 'uuid' } } as const;
const PASSKEY_ID = { name: 'id', description: 'The passkey.', schema: { type: 'string', format: 'uuid' } } as const;

/** A person's own sessions and passkeys. */
@ApiTags('Login')
@Controller()
export class SessionsController {
  constructor(
    private readonly sessions: OperatorSessionsService,
    private readonly passkeys: OperatorPasskeysService,
    private readonly logins: LoginsService,
  ) {}

  @Get('sessions')
  @AnyRole()
  @ApiOperation({ summary: 'List your sessions', description: 'Those that have not ended, the newest first.' })
  @ApiOkResponse({ type: SessionListDto, description: 'Your sessions.' })
  async listSessions(@CurrentOperator() operator: AuthenticatedOperator): Promise<SessionListDto> {
    const sessions = await this.sessions.list(operator.accountId);
    return { data: sessions.map((session) => toSessionDto(session, operator)) };
  }

  @Post('sessions/:id/revoke')
  @HttpCode(HttpStatus.NO_CONTENT)
  @AnyRole()
  @WithoutBody()
  @ApiOperation({ summary: 'End a session of yours', description: 'Takes no body. Ended sessions stay as they are.' })
  @ApiParam(SESSION_ID)
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ProblemReplies('cross_site_request', ['not_found', 'There is no session b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'])
  async revokeSession(
    @CurrentOperator() { actor, accountId }: AuthenticatedOperator,
    @Param('id', PathId.uuid) id: string,
  ): Promise<void> {
    await this.sessions.revoke(actor, id, accountId);
  }

  @Get('passkeys')
  @AnyRole()
  @ApiOperation({ summary: 'List your passkeys', description: 'The oldest first.' })
  @ApiOkResponse({ type: PasskeyListDto, description: 'Your passkeys.' })
  async listPasskeys(@CurrentOperator() { accountId }: AuthenticatedOperator): Promise<PasskeyListDto> {
    return { data: (await this.passkeys.list(accountId)).map(toPasskeyDto) };
  }

  @Post('passkeys/options')
  @HttpCode(HttpStatus.OK)
  @AnyRole()
  @FreshLogin()
  @WithoutBody()
  @WithoutEffect()
  @ApiOperation({
    summary: 'Begin to make a passkey',
    description: 'The reply goes to `navigator.credentials.create()`, and its answer to `POST /passkeys`.',
  })
  @ApiOkResponse({
    schema: { type: 'object', additionalProperties: true, example: { challenge: 'x3pQmS', rp: { id: 'localhost' } } },
    description: 'WebAuthn `PublicKeyCredentialCreationOptionsJSON`.',
  })
  @ProblemReplies('invalid_request', 'cross_site_request')
  beginPasskey(
    @CurrentOperator() operator: AuthenticatedOperator,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.logins.newPasskeyOptions(operator, { request, reply });
  }

  @Post('passkeys')
  @AnyRole()
  @FreshLogin()
  @WithoutEffect()
  @ApiOperation({ summary: 'Add a passkey', description: 'From then on it logs you in.' })
  @ApiCreatedResponse({ type: PasskeyDto, description: 'The passkey.' })
  @ProblemReplies('invalid_request', 'cross_site_request')
  async addPasskey(
    @CurrentOperator() operator: AuthenticatedOperator,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() body: CreatePasskeyDto,
  ): Promise<PasskeyDto> {
    return toPasskeyDto(await this.logins.addPasskey(operator, { request, reply }, body));
  }

  @Delete('passkeys/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @AnyRole()
  @FreshLogin()
  @ApiOperation({ summary: 'Remove a passkey of yours', description: 'Without one, a link logs you in.' })
  @ApiParam(PASSKEY_ID)
  @ApiNoContentResponse({ description: 'The passkey is removed.' })
  @ProblemReplies('cross_site_request', ['not_found', 'You have no passkey b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'])
  async removePasskey(
    @CurrentOperator() operator: AuthenticatedOperator,
    @Param('id', PathId.uuid) id: string,
  ): Promise<void> {
    await this.passkeys.remove(operator, id);
  }
}
