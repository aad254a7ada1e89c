import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnyScope, type AuthenticatedCustomer, CurrentCustomer } from '@app/access';
import { PageQueryDto, ProblemReplies, toPageDto } from '@app/http';
import { CustomerServiceReader } from '@app/services';
import { ServicePageDto, toServiceDto } from './dto/service.dto';

/** The services that the customer has. */
@ApiTags('Services')
@Controller('services')
export class ServicesController {
  constructor(private readonly services: CustomerServiceReader) {}

  @Get()
  @AnyScope()
  @ApiOperation({ summary: 'List your services', description: 'Newest first.' })
  @ApiOkResponse({ type: ServicePageDto, description: 'A part of the list.' })
  @ProblemReplies('invalid_request')
  async listServices(
    @CurrentCustomer() { customerId }: AuthenticatedCustomer,
    @Query() page: PageQueryDto,
  ): Promise<ServicePageDto> {
    return toPageDto(await this.services.list(customerId, page), toServiceDto);
  }
}
