import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnyScope } from '@platform/access';
import { PageQueryDto, ProblemReplies, toPageDto } from '@platform/http';
import { ServicesService } from '@domains/services';
import { ServicePageDto, toServiceDto } from './dto/service.dto';

@ApiTags('Services')
@Controller('services')
export class ServicesController {
  constructor(private readonly services: ServicesService) {}

  @Get()
  @AnyScope()
  @ApiOperation({ summary: 'List your services', description: 'Newest first.' })
  @ApiOkResponse({ type: ServicePageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listServices(@Query() page: PageQueryDto): Promise<ServicePageDto> {
    return toPageDto(await this.services.list(page), toServiceDto);
  }
}
