import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { PathId, ProblemReplies, toInboxPageDto, WithholdInRetries, WithoutBody, WithoutEffect } from '@platform/http';
import { wholeInbox } from '@platform/pagination';
import { TokensOperatorService } from '@platform/tokens';
import { Actor, AnyRole, FreshLogin, RequireRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import {
  FindTokenDto,
  IssuedTokenDto,
  IssueTokenDto,
  RenameTokenDto,
  RotateTokenDto,
  TokenDto,
  TokenPageDto,
  TokenQueryDto,
  toIssuedTokenDto,
  toTokenDto,
} from './token.dto';

const TOKEN_ID = { name: 'id', description: 'The token.', schema: { type: 'string', format: 'uuid' } } as const;
const NO_SUCH_TOKEN = ['not_found', 'There is no token b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'] as const;

@ApiTags('Tokens')
@Controller('tokens')
export class TokensController {
  constructor(
    private readonly tokens: TokensOperatorService,
    private readonly customers: CustomerNamesService,
  ) {}

  @Get()
  @AnyRole()
  @ApiOperation({ summary: 'List the tokens of a customer', description: 'All of them, the newest first.' })
  @ApiOkResponse({ type: TokenPageDto, description: 'The tokens.' })
  @ProblemReplies('invalid_request')
  async listTokens(@Query() { customer_id: customerId }: TokenQueryDto): Promise<TokenPageDto> {
    const tokens = wholeInbox(await this.tokens.list(customerId));
    return toInboxPageDto(await this.customers.addTo(tokens), toTokenDto);
  }

  @Post()
  @RequireRole()
  @FreshLogin()
  @WithholdInRetries('token')
  @ApiOperation({ summary: 'Issue a token', description: 'The reply shows it, once.' })
  @ApiCreatedResponse({ type: IssuedTokenDto, description: 'The new token.' })
  @ProblemReplies('invalid_request', 'cross_site_request', 'not_found')
  async issueToken(@Actor() actor: string, @Body() body: IssueTokenDto): Promise<IssuedTokenDto> {
    const { customer_id: customerId, scopes, name, expires_at: expires } = body;
    const expiresAt = expires ? new Date(expires) : undefined;
    const issued = await this.tokens.issue(actor, { customerId, scopes, name: name ?? undefined, expiresAt });
    return toIssuedTokenDto(await this.customers.addToOne(issued));
  }

  @Post('find')
  @HttpCode(HttpStatus.OK)
  @AnyRole()
  @WithoutEffect()
  @ApiOperation({
    summary: 'Find whose a token is',
    description: 'By a text with the token in it, such as a leaked file, or by its fingerprint.',
  })
  @ApiOkResponse({ type: TokenPageDto, description: 'The token; several only if a fingerprint is ambiguous.' })
  @ProblemReplies('invalid_request', 'cross_site_request', [
    'not_found',
    'There is no token with the fingerprint 3f0c1d9e7d2a',
  ])
  async findToken(@Body() { text, fingerprint }: FindTokenDto): Promise<TokenPageDto> {
    const found = wholeInbox(
      await this.tokens.findIn({ text: text ?? undefined, fingerprint: fingerprint ?? undefined }),
    );
    return toInboxPageDto(await this.customers.addTo(found), toTokenDto);
  }

  @Get(':id')
  @AnyRole()
  @ApiOperation({ summary: 'Read a token', description: 'Its properties; the token itself is not stored.' })
  @ApiParam(TOKEN_ID)
  @ApiOkResponse({ type: TokenDto, description: 'The token.' })
  @ProblemReplies(NO_SUCH_TOKEN)
  async getToken(@Param('id', PathId.uuid) id: string): Promise<TokenDto> {
    return toTokenDto(await this.customers.addToOne(await this.tokens.show(id)));
  }

  @Post(':id/rotate')
  @RequireRole()
  @FreshLogin()
  @WithholdInRetries('token')
  @ApiOperation({
    summary: 'Rotate a token',
    description: 'Issues one that replaces it, with the same scopes. The old one stays valid for the grace time.',
  })
  @ApiParam(TOKEN_ID)
  @ApiCreatedResponse({ type: IssuedTokenDto, description: 'The new token.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_TOKEN)
  async rotateToken(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { grace_hours: hours = 24 }: RotateTokenDto,
  ): Promise<IssuedTokenDto> {
    return toIssuedTokenDto(await this.customers.addToOne(await this.tokens.rotate(actor, id, hours)));
  }

  @Post(':id/rename')
  @HttpCode(HttpStatus.OK)
  @RequireRole()
  @ApiOperation({ summary: 'Name a token', description: 'Its earlier calls are listed under the new name too.' })
  @ApiParam(TOKEN_ID)
  @ApiOkResponse({ type: TokenDto, description: 'The changed token.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_TOKEN)
  async renameToken(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { name }: RenameTokenDto,
  ): Promise<TokenDto> {
    await this.tokens.rename(actor, id, name);
    return this.getToken(id);
  }

  /** Without a fresh login: a token that has leaked is stopped at once. */
  @Post(':id/deactivate')
  @HttpCode(HttpStatus.OK)
  @RequireRole()
  @WithoutBody()
  @ApiOperation({
    summary: 'Deactivate a token',
    description:
      'At once, for good. Takes no body. Webhook endpoints that it made stay; the audit log lists them, with `token:` and its id as the author.',
  })
  @ApiParam(TOKEN_ID)
  @ApiOkResponse({ type: TokenDto, description: 'The token, which is refused from now on.' })
  @ProblemReplies('cross_site_request', NO_SUCH_TOKEN)
  async deactivateToken(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<TokenDto> {
    await this.tokens.deactivate(actor, id);
    return this.getToken(id);
  }
}
