import { Body, Controller, Get, HttpCode, HttpStatus, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CustomersOperatorService } from '@domains/customers';
import { PathId, ProblemReplies, toInboxPageDto, toInboxRequest, WithoutBody } from '@platform/http';
import { Actor, AnyRole, RequireRole } from '../access/operator-access';
import {
  ChangeCustomerDto,
  ChangeCustomerLimitsDto,
  CreateCustomerDto,
  CustomerDto,
  CustomerPageDto,
  CustomerQueryDto,
  toCustomerDto,
} from './customer.dto';
import { CustomerOverviewDto } from './customer-overview.dto';
import { CustomerOverviewService } from './customer-overview.service';
import { CUSTOMER_ID, NO_SUCH_CUSTOMER } from './of-customer.dto';

@ApiTags('Customers')
@Controller('customers')
export class CustomersController {
  constructor(
    private readonly customers: CustomersOperatorService,
    private readonly overviews: CustomerOverviewService,
  ) {}

  @Get()
  @AnyRole()
  @ApiOperation({ summary: 'List customers', description: 'With what they have spent on AI this month.' })
  @ApiOkResponse({ type: CustomerPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listCustomers(@Query() query: CustomerQueryDto): Promise<CustomerPageDto> {
    const { search, state } = query;
    const active = state === undefined ? undefined : state === 'active';
    return toInboxPageDto(
      await this.overviews.list({ search, active }, toInboxRequest(query)),
      ({ customer, spentNok }) => ({ ...toCustomerDto(customer), ai_spent_this_month_nok: spentNok }),
    );
  }

  @Post()
  @RequireRole()
  @ApiOperation({ summary: 'Add a customer', description: 'It has no services and no tokens yet.' })
  @ApiCreatedResponse({ type: CustomerDto, description: 'The new customer.' })
  @ProblemReplies('invalid_request', 'cross_site_request')
  async createCustomer(@Actor() actor: string, @Body() body: CreateCustomerDto): Promise<CustomerDto> {
    const { name, organization_number: organizationNumber, email, customer_number: number } = body;
    const customer = { name, organizationNumber, email, customerNumber: number ?? undefined };
    return toCustomerDto(await this.customers.create(actor, customer));
  }

  @Get(':id')
  @AnyRole()
  @ApiOperation({ summary: 'Read a customer', description: 'With its limits.' })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: CustomerDto, description: 'The customer.' })
  @ProblemReplies(NO_SUCH_CUSTOMER)
  async getCustomer(@Param('id', PathId.uuid) id: string): Promise<CustomerDto> {
    return toCustomerDto(await this.customers.find(id));
  }

  @Get(':id/overview')
  @AnyRole()
  @ApiOperation({
    summary: 'Read a customer at a glance',
    description: 'Balances, usage of this month, what it owes, what is open.',
  })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: CustomerOverviewDto, description: 'The overview.' })
  @ProblemReplies(NO_SUCH_CUSTOMER)
  getCustomerOverview(@Param('id', PathId.uuid) id: string): Promise<CustomerOverviewDto> {
    return this.overviews.read(id);
  }

  @Patch(':id')
  @RequireRole()
  @ApiOperation({ summary: "Correct a customer's details", description: 'Name, e-mail address, organisation number.' })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: CustomerDto, description: 'The changed customer.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_CUSTOMER)
  async changeCustomer(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { name, email, organization_number: organizationNumber }: ChangeCustomerDto,
  ): Promise<CustomerDto> {
    return toCustomerDto(await this.customers.changeDetails(actor, id, { name, email, organizationNumber }));
  }

  @Patch(':id/limits')
  @RequireRole()
  @ApiOperation({ summary: "Set a customer's limits", description: 'They apply within a moment.' })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: CustomerDto, description: 'The changed customer.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_CUSTOMER)
  async changeCustomerLimits(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() limits: ChangeCustomerLimitsDto,
  ): Promise<CustomerDto> {
    const given = {
      requestsPerMinute: limits.requests_per_minute,
      aiPerMinute: limits.ai_per_minute,
      smsPerMinute: limits.sms_per_minute,
      pendingCreditRequests: limits.pending_credit_requests,
    };
    return toCustomerDto(await this.customers.setLimits(actor, id, given));
  }

  @Post(':id/activate')
  @HttpCode(HttpStatus.OK)
  @RequireRole()
  @WithoutBody()
  @ApiOperation({ summary: 'Activate a customer', description: 'Its tokens are accepted again. Takes no body.' })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: CustomerDto, description: 'The active customer.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_CUSTOMER)
  async activateCustomer(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<CustomerDto> {
    return toCustomerDto(await this.customers.setActive(actor, id, true));
  }

  @Post(':id/deactivate')
  @HttpCode(HttpStatus.OK)
  @RequireRole()
  @WithoutBody()
  @ApiOperation({ summary: 'Deactivate a customer', description: 'All its tokens are refused at once. Takes no body.' })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: CustomerDto, description: 'The inactive customer.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_CUSTOMER)
  async deactivateCustomer(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<CustomerDto> {
    return toCustomerDto(await this.customers.setActive(actor, id, false));
  }
}
