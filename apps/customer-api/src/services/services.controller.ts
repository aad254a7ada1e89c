import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnyScope } from '@platform/access';
import { ProblemReplies, toPageDto, toPageRequest } from '@platform/http';
import { ServicesService } from '@domains/services';
import { ServicePageDto, ServiceQueryDto, toServiceDto } from './service.dto';

@ApiTags('Services')
@Controller('services')
export class ServicesController {
  constructor(private readonly services: ServicesService) {}

  @Get()
  @AnyScope()
  @ApiOperation({ summary: 'List your services', description: 'Newest first.' })
  @ApiOkResponse({ type: ServicePageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listServices(@Query() query: ServiceQueryDto): Promise<ServicePageDto> {
    return toPageDto(await this.services.list(toPageRequest(query), query.status), toServiceDto);
  }
}
