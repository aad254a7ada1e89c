import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '@platform/access';
import { ProblemReplies, WithoutBody, WithoutEffect, WithSmallBody } from '@platform/http';
import type { AuthenticatedOperator } from '@platform/operator-accounts';
import { AnyRole, CurrentOperator } from '../access/operator-access';
import {
  CurrentSessionDto,
  LoginMethodsDto,
  LoginWithLinkDto,
  LoginWithPasskeyDto,
  toCurrentSessionDto,
} from './login.dto';
import { LoginLimitGuard } from './login-limit.guard';
import { LoginsService } from './logins.service';

const NO_LIMIT = ['rate_limited', 'Too many logins from your address; try again in 42 s'] as const;
/** The console makes it up. */
const FORM_ID = /^[\w-]{1,36}$/;
const ANY = ['forbidden', 'internal_error', 'service_unavailable', 'cross_site_request'] as const;

@ApiTags('Login')
@Controller()
export class LoginController {
  constructor(private readonly logins: LoginsService) {}

  @Get('login/methods')
  @Public()
  @ApiOperation({ summary: 'List the ways to log in', description: 'A one-time link always works.' })
  @ApiOkResponse({ type: LoginMethodsDto, description: 'The ways to log in.' })
  @ProblemReplies('forbidden', 'rate_limited', 'internal_error', 'service_unavailable')
  getLoginMethods(): LoginMethodsDto {
    return this.logins.methods;
  }

  @Post('login/link')
  @HttpCode(HttpStatus.OK)
  @Public()
  @UseGuards(LoginLimitGuard)
  @WithSmallBody()
  @WithoutEffect()
  @ApiOperation({
    summary: 'Log in with a one-time link',
    description: 'Uses the link up. The reply sets the cookie of a new session.',
  })
  @ApiOkResponse({ type: CurrentSessionDto, description: 'The new session.' })
  @ProblemReplies('invalid_request', 'login_failed', NO_LIMIT, ...ANY)
  async logInWithLink(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() { token }: LoginWithLinkDto,
  ): Promise<CurrentSessionDto> {
    return toCurrentSessionDto(await this.logins.withLink({ request, reply }, token), this.logins.methods);
  }

  @Post('login/passkey/options')
  @HttpCode(HttpStatus.OK)
  @Public()
  @UseGuards(LoginLimitGuard)
  @WithoutBody()
  @WithoutEffect()
  @ApiOperation({
    summary: 'Begin a login with a passkey',
    description: 'The reply goes to `navigator.credentials.get()`, and its answer to `POST /login/passkey/verify`.',
  })
  @ApiOkResponse({
    schema: { type: 'object', additionalProperties: true, example: { challenge: 'x3pQmS', rpId: 'localhost' } },
    description: 'WebAuthn `PublicKeyCredentialRequestOptionsJSON`.',
  })
  @ProblemReplies('login_failed', NO_LIMIT, ...ANY)
  beginPasskeyLogin(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return this.logins.passkeyOptions({ request, reply });
  }

  @Post('login/passkey/verify')
  @HttpCode(HttpStatus.OK)
  @Public()
  @UseGuards(LoginLimitGuard)
  @WithSmallBody()
  @WithoutEffect()
  @ApiOperation({
    summary: 'Log in with a passkey',
    description: 'The reply sets the cookie of a new session. In a session it makes the login fresh.',
  })
  @ApiOkResponse({ type: CurrentSessionDto, description: 'The new session.' })
  @ProblemReplies('invalid_request', ['login_failed', 'This passkey is not known here'], NO_LIMIT, ...ANY)
  async logInWithPasskey(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() { response }: LoginWithPasskeyDto,
  ): Promise<CurrentSessionDto> {
    return toCurrentSessionDto(await this.logins.withPasskey({ request, reply }, response), this.logins.methods);
  }

  /**
   * Not in the document: a browser goes there, no program. @param fresh the id of a form that waits for a login in a window of its own,
   * for which the provider asks the person again
   */
  @Get('login/oidc')
  @Public()
  @UseGuards(LoginLimitGuard)
  @ApiExcludeEndpoint()
  async logInWithOidc(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query('fresh') fresh?: unknown,
  ): Promise<void> {
    const form = typeof fresh === 'string' && FORM_ID.test(fresh) ? fresh : undefined;
    void reply.redirect(await this.logins.oidcAddress({ request, reply }, form), HttpStatus.SEE_OTHER);
  }

  /** Comes back from the identity provider. */
  @Get('login/oidc/callback')
  @Public()
  @UseGuards(LoginLimitGuard)
  @ApiExcludeEndpoint()
  async endOidcLogin(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    void reply.redirect(await this.logins.pageAfterOidc({ request, reply }), HttpStatus.SEE_OTHER);
  }

  @Get('session')
  @AnyRole()
  @ApiOperation({ summary: 'Read your session', description: 'Counts as a use of it.' })
  @ApiOkResponse({ type: CurrentSessionDto, description: 'Your session.' })
  getSession(@CurrentOperator() operator: AuthenticatedOperator): CurrentSessionDto {
    return toCurrentSessionDto(operator, this.logins.methods);
  }

  @Post('logout')
  @HttpCode(HttpStatus.NO_CONTENT)
  @AnyRole()
  @WithoutBody()
  @WithoutEffect()
  @ApiOperation({ summary: 'Log out', description: 'Ends your session. Takes no body.' })
  @ApiNoContentResponse({ description: 'You are logged out.' })
  @ProblemReplies('cross_site_request')
  async logOut(
    @CurrentOperator() operator: AuthenticatedOperator,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.logins.logOut(operator, { request, reply });
  }
}
