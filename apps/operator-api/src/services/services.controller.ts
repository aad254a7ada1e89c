import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ServiceChangesOperatorService, ServicesOperatorService } from '@domains/services';
import { PathId, ProblemReplies, toInboxPageDto } from '@platform/http';
import { wholeInbox } from '@platform/pagination';
import { Actor, AnyRole, FreshLogin, RequireRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import {
  AddServiceDto,
  ChangeServiceDto,
  ServiceDto,
  ServicePageDto,
  ServiceQueryDto,
  ServiceTypeListDto,
  toServiceDto,
} from './service.dto';

const SERVICE_ID = {
  name: 'id',
  description: 'The number of the service.',
  schema: { type: 'integer', format: 'int32', minimum: 1 },
} as const;
const NO_SUCH_SERVICE = ['not_found', 'There is no service 12'] as const;

@ApiTags('Services')
@Controller('services')
export class ServicesController {
  constructor(
    private readonly services: ServicesOperatorService,
    private readonly changes: ServiceChangesOperatorService,
    private readonly customers: CustomerNamesService,
  ) {}

  @Get()
  @AnyRole()
  @ApiOperation({ summary: 'List the services of a customer', description: 'All of them, the newest first.' })
  @ApiOkResponse({ type: ServicePageDto, description: 'The services.' })
  @ProblemReplies('invalid_request')
  async listServices(@Query() { customer_id: customerId, type, status }: ServiceQueryDto): Promise<ServicePageDto> {
    const services = wholeInbox(await this.services.list(customerId, { type, status }));
    return toInboxPageDto(await this.customers.addTo(services), toServiceDto);
  }

  /** With a fresh login, as its change: the config of an `ai` service grants credit. */
  @Post()
  @RequireRole()
  @FreshLogin()
  @ApiOperation({ summary: 'Add a service to a customer', description: 'The customer can read its settings.' })
  @ApiCreatedResponse({ type: ServiceDto, description: 'The new service.' })
  @ProblemReplies('invalid_request', 'cross_site_request', 'not_found')
  async addService(@Actor() actor: string, @Body() body: AddServiceDto): Promise<ServiceDto> {
    const { customer_id: customerId, type, name, status, config } = body;
    const added = await this.changes.add(actor, { customerId, type, name, status, config });
    return toServiceDto(await this.customers.addToOne(added));
  }

  @Get('types')
  @AnyRole()
  @ApiOperation({
    summary: 'List the types of services',
    description: 'Of all customers, with the numbers of services that are not terminated.',
  })
  @ApiOkResponse({ type: ServiceTypeListDto, description: 'The types.' })
  async listServiceTypes(): Promise<ServiceTypeListDto> {
    return { data: await this.services.types() };
  }

  @Get(':id')
  @AnyRole()
  @ApiOperation({ summary: 'Read a service', description: 'By its number.' })
  @ApiParam(SERVICE_ID)
  @ApiOkResponse({ type: ServiceDto, description: 'The service.' })
  @ProblemReplies(NO_SUCH_SERVICE)
  async getService(@Param('id', PathId.integer) id: number): Promise<ServiceDto> {
    return toServiceDto(await this.customers.addToOne(await this.services.find(id)));
  }

  @Patch(':id')
  @RequireRole()
  @FreshLogin()
  @ApiOperation({
    summary: 'Change a service',
    description: 'Its name, status or settings. With `seen`, refused if it has changed since.',
  })
  @ApiParam(SERVICE_ID)
  @ApiOkResponse({ type: ServiceDto, description: 'The changed service.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_SERVICE)
  async changeService(
    @Actor() actor: string,
    @Param('id', PathId.integer) id: number,
    @Body() { name, status, config, seen }: ChangeServiceDto,
  ): Promise<ServiceDto> {
    const seenAt = typeof seen === 'string' ? new Date(seen) : undefined;
    const changed = await this.changes.update(actor, id, { name, status, config }, seenAt);
    return toServiceDto(await this.customers.addToOne(changed));
  }
}
