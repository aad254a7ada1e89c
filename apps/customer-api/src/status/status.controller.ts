import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '@platform/access';
import { ProblemReplies, toPageDto, toPageRequest } from '@platform/http';
import { ServiceStatusService } from '@domains/status';
import { toServiceStatusDto } from '@records/service-status.dto';
import { ServiceStatusPageDto, StatusQueryDto } from './service-status.dto';

@ApiTags('Status')
@Controller('status')
export class StatusController {
  constructor(private readonly status: ServiceStatusService) {}

  @Get()
  @RequireScope('status:read')
  @ApiOperation({
    summary: 'Read the status of your services',
    description: 'Each service with its current status and its events.',
  })
  @ApiOkResponse({ type: ServiceStatusPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listStatus(@Query() query: StatusQueryDto): Promise<ServiceStatusPageDto> {
    return toPageDto(await this.status.list(toPageRequest(query), query.status), toServiceStatusDto);
  }
}
