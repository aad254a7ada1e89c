import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditOperatorService } from '@platform/audit';
import { ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { AnyRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import { AuditPageDto, AuditQueryDto, toAuditEntryDto } from './audit.dto';

@ApiTags('Audit')
@Controller('audit')
export class AuditController {
  constructor(
    private readonly audit: AuditOperatorService,
    private readonly customers: CustomerNamesService,
  ) {}

  @Get()
  @AnyRole()
  @ApiOperation({ summary: 'List changes', description: 'Each with who did it, the newest first.' })
  @ApiOkResponse({ type: AuditPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listAuditEntries(@Query() query: AuditQueryDto): Promise<AuditPageDto> {
    const { customer_id: customerId, action, by, since, until } = query;
    const times = { since: since ? new Date(since) : undefined, until: until ? new Date(until) : undefined };
    const filter = { customerId, action, actor: by && `operator:${by}`, ...times };
    return toInboxPageDto(
      await this.customers.addTo(await this.audit.inbox(filter, toInboxRequest(query))),
      toAuditEntryDto,
    );
  }
}
