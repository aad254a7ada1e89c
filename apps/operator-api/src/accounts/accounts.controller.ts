import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { PathId, ProblemReplies, toInboxPageDto, WithholdInRetries, WithoutBody } from '@platform/http';
import {
  type AuthenticatedOperator,
  OperatorAccountsService,
  OperatorSessionsService,
} from '@platform/operator-accounts';
import { wholeInbox } from '@platform/pagination';
import { Actor, CurrentOperator, FreshLogin, RequireRole } from '../access/operator-access';
import { SessionListDto, toSessionDto } from '../login/login.dto';
import {
  AccountDto,
  AccountPageDto,
  InviteAccountDto,
  InvitedAccountDto,
  SetRoleDto,
  toAccountDto,
  toInvitedAccountDto,
} from './account.dto';

const ACCOUNT_ID = { name: 'id', description: 'The account.', schema: { type: 'string', format: 'uuid' } } as const;
const NO_SUCH_ACCOUNT = ['not_found', 'There is no account b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'] as const;

@ApiTags('Accounts')
@Controller('accounts')
export class AccountsController {
  constructor(
    private readonly accounts: OperatorAccountsService,
    private readonly sessions: OperatorSessionsService,
  ) {}

  @Get()
  @RequireRole()
  @ApiOperation({ summary: 'List accounts', description: 'All of them, by name.' })
  @ApiOkResponse({ type: AccountPageDto, description: 'The accounts.' })
  async listAccounts(): Promise<AccountPageDto> {
    return toInboxPageDto(wholeInbox(await this.accounts.list()), toAccountDto);
  }

  @Post()
  @RequireRole()
  @FreshLogin()
  @WithholdInRetries('link')
  @ApiOperation({
    summary: 'Invite a person',
    description:
      'Makes an account, or takes the one of the address, and a link that logs it in once within ten minutes.',
  })
  @ApiCreatedResponse({ type: InvitedAccountDto, description: 'The account, with its link.' })
  @ProblemReplies('invalid_request', 'cross_site_request')
  async inviteAccount(
    @Actor() actor: string,
    @Body() { email, role, name }: InviteAccountDto,
  ): Promise<InvitedAccountDto> {
    return toInvitedAccountDto(await this.accounts.invite(actor, { email, role, name: name ?? undefined }));
  }

  @Get(':id')
  @RequireRole()
  @ApiOperation({ summary: 'Read an account', description: 'With its role.' })
  @ApiParam(ACCOUNT_ID)
  @ApiOkResponse({ type: AccountDto, description: 'The account.' })
  @ProblemReplies(NO_SUCH_ACCOUNT)
  async getAccount(@Param('id', PathId.uuid) id: string): Promise<AccountDto> {
    return toAccountDto(await this.accounts.find(id));
  }

  @Post(':id/set-role')
  @HttpCode(HttpStatus.OK)
  @RequireRole()
  @FreshLogin()
  @ApiOperation({
    summary: 'Give an account another role',
    description: 'Its sessions have it at once. With `replaces`, refused if it has another one by now.',
  })
  @ApiParam(ACCOUNT_ID)
  @ApiOkResponse({ type: AccountDto, description: 'The changed account.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_ACCOUNT)
  async setAccountRole(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { role, replaces }: SetRoleDto,
  ): Promise<AccountDto> {
    return toAccountDto(await this.accounts.setRole(actor, id, role, replaces ?? undefined));
  }

  @Post(':id/activate')
  @HttpCode(HttpStatus.OK)
  @RequireRole()
  @FreshLogin()
  @WithoutBody()
  @ApiOperation({ summary: 'Activate an account', description: 'It can log in again. Takes no body.' })
  @ApiParam(ACCOUNT_ID)
  @ApiOkResponse({ type: AccountDto, description: 'The changed account.' })
  @ProblemReplies('cross_site_request', NO_SUCH_ACCOUNT)
  async activateAccount(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<AccountDto> {
    return toAccountDto(await this.accounts.setActive(actor, id, true));
  }

  @Post(':id/deactivate')
  @HttpCode(HttpStatus.OK)
  @RequireRole()
  @WithoutBody()
  @ApiOperation({ summary: 'Deactivate an account', description: 'Its sessions and links end at once. Takes no body.' })
  @ApiParam(ACCOUNT_ID)
  @ApiOkResponse({ type: AccountDto, description: 'The changed account.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_ACCOUNT)
  async deactivateAccount(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<AccountDto> {
    return toAccountDto(await this.accounts.setActive(actor, id, false));
  }

  @Get(':id/sessions')
  @RequireRole()
  @ApiOperation({
    summary: 'List the sessions of an account',
    description: 'Those that have not ended, the newest first.',
  })
  @ApiParam(ACCOUNT_ID)
  @ApiOkResponse({ type: SessionListDto, description: 'The sessions.' })
  @ProblemReplies(NO_SUCH_ACCOUNT)
  async listAccountSessions(
    @CurrentOperator() operator: AuthenticatedOperator,
    @Param('id', PathId.uuid) id: string,
  ): Promise<SessionListDto> {
    await this.accounts.find(id);
    return { data: (await this.sessions.list(id)).map((session) => toSessionDto(session, operator)) };
  }

  @Post(':id/sessions/revoke')
  @HttpCode(HttpStatus.NO_CONTENT)
  @RequireRole()
  @WithoutBody()
  @ApiOperation({ summary: 'End all sessions of an account', description: 'Takes no body.' })
  @ApiParam(ACCOUNT_ID)
  @ApiNoContentResponse({ description: 'The sessions have ended.' })
  @ProblemReplies('cross_site_request', NO_SUCH_ACCOUNT)
  async revokeAccountSessions(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<void> {
    await this.sessions.revokeAll(actor, (await this.accounts.find(id)).id);
  }
}
