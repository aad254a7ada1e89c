import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditOperatorService } from '@platform/audit';
import { ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import type { AuthenticatedOperator } from '@platform/operator-accounts';
import { AnyRole, CurrentOperator } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import { AuditActionListDto, AuditPageDto, AuditQueryDto, toAuditEntryDto } from './audit.dto';
import { AuditedNamesService } from './audited-names.service';

/** Groups of actions whose entries name accounts, their e-mail addresses, roles and networks: they are for who may read accounts. */
const ABOUT_ACCOUNTS = ['account', 'passkey', 'session'];

@ApiTags('Audit')
@Controller('audit')
export class AuditController {
  constructor(
    private readonly audit: AuditOperatorService,
    private readonly customers: CustomerNamesService,
    private readonly names: AuditedNamesService,
  ) {}

  @Get()
  @AnyRole()
  @ApiOperation({
    summary: 'List changes',
    description:
      'Each with who did it, the newest first. Those of accounts, passkeys and sessions are for the role admin.',
  })
  @ApiOkResponse({ type: AuditPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listAuditEntries(
    @CurrentOperator() { role }: AuthenticatedOperator,
    @Query() query: AuditQueryDto,
  ): Promise<AuditPageDto> {
    const { customer_id: customerId, action, by, since, until } = query;
    const times = { since: since ? new Date(since) : undefined, until: until ? new Date(until) : undefined };
    const withoutGroups = role === 'admin' ? undefined : ABOUT_ACCOUNTS;
    const page = await this.audit.inbox({ customerId, action, by, ...times, withoutGroups }, toInboxRequest(query));
    return toInboxPageDto(await this.names.addTo(await this.customers.addTo(page)), toAuditEntryDto);
  }

  @Get('actions')
  @AnyRole()
  @ApiOperation({ summary: 'List the actions', description: 'Those that there are entries of, by name.' })
  @ApiOkResponse({ type: AuditActionListDto, description: 'The actions.' })
  async listAuditActions(): Promise<AuditActionListDto> {
    return { data: await this.audit.actions() };
  }
}
