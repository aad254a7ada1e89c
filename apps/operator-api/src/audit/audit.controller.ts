import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditOperatorService } from '@platform/audit';
import { ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { AnyRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import { AuditActionListDto, AuditPageDto, AuditQueryDto, toAuditEntryDto } from './audit.dto';
import { AuditedNamesService } from './audited-names.service';

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
  @ApiOperation({ summary: 'List changes', description: 'Each with who did it, the newest first.' })
  @ApiOkResponse({ type: AuditPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listAuditEntries(@Query() query: AuditQueryDto): Promise<AuditPageDto> {
    const { customer_id: customerId, action, by, since, until } = query;
    const times = { since: since ? new Date(since) : undefined, until: until ? new Date(until) : undefined };
    const page = await this.audit.inbox({ customerId, action, by, ...times }, toInboxRequest(query));
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
