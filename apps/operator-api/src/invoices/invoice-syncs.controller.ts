import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { BillingAccountsOperatorService, InvoiceSyncsOperatorService } from '@domains/invoices';
import { ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { timeText } from '@platform/time';
import { Actor, AnyRole, FreshLogin, RequireRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import {
  BillingAccountDto,
  InvoiceSyncPageDto,
  InvoiceSyncQueryDto,
  LinkBillingAccountDto,
  RequestedSyncsDto,
  RequestInvoiceSyncDto,
  UnlinkBillingAccountDto,
  UnlinkedDto,
  toInvoiceSyncDto,
} from './invoice-sync.dto';

@ApiTags('Invoices')
@Controller()
export class InvoiceSyncsController {
  constructor(
    private readonly accounts: BillingAccountsOperatorService,
    private readonly syncs: InvoiceSyncsOperatorService,
    private readonly customers: CustomerNamesService,
  ) {}

  @Get('invoice-syncs')
  @AnyRole()
  @ApiOperation({ summary: 'List syncs with billing sources', description: 'Those that fail most first.' })
  @ApiOkResponse({ type: InvoiceSyncPageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listInvoiceSyncs(@Query() query: InvoiceSyncQueryDto): Promise<InvoiceSyncPageDto> {
    const { customer_id: customerId, source, failing } = query;
    const page = await this.syncs.inbox({ customerId, source, failing }, toInboxRequest(query));
    return toInboxPageDto(await this.customers.addTo(page), toInvoiceSyncDto);
  }

  @Post('invoice-syncs')
  @HttpCode(HttpStatus.ACCEPTED)
  @RequireRole('billing')
  @ApiOperation({
    summary: 'Sync invoices now',
    description: 'Returns before the syncs run; the list of syncs shows their progress.',
  })
  @ApiAcceptedResponse({ type: RequestedSyncsDto, description: 'The syncs are due.' })
  @ProblemReplies('invalid_request', 'cross_site_request')
  async requestInvoiceSync(
    @Actor() actor: string,
    @Body() { customer_id: customerId, source, full = false }: RequestInvoiceSyncDto,
  ): Promise<RequestedSyncsDto> {
    return { syncs: await this.syncs.request(actor, { customerId, source, full }) };
  }

  @Post('billing-accounts')
  @RequireRole('billing')
  @FreshLogin()
  @ApiOperation({ summary: 'Link a customer to a billing source', description: 'The next sync fetches its invoices.' })
  @ApiCreatedResponse({ type: BillingAccountDto, description: 'The link.' })
  @ProblemReplies('invalid_request', 'cross_site_request', 'not_found')
  async linkBillingAccount(@Actor() actor: string, @Body() body: LinkBillingAccountDto): Promise<BillingAccountDto> {
    const account = await this.accounts.link(actor, body.customer_id, body.source, body.source_customer_id);
    return {
      customer_id: account.customerId,
      source: account.source,
      source_customer_id: account.sourceCustomerId,
      created_at: timeText(account.createdAt),
    };
  }

  @Post('billing-accounts/unlink')
  @HttpCode(HttpStatus.OK)
  @RequireRole('billing')
  @FreshLogin()
  @ApiOperation({
    summary: 'Remove a link to a billing source',
    description: 'With all invoices that were synced through it.',
  })
  @ApiOkResponse({ type: UnlinkedDto, description: 'The link is removed.' })
  @ProblemReplies('invalid_request', 'cross_site_request', ['not_found', 'The customer is not linked to stripe'])
  async unlinkBillingAccount(
    @Actor() actor: string,
    @Body() { customer_id: customerId, source }: UnlinkBillingAccountDto,
  ): Promise<UnlinkedDto> {
    const { invoicesRemoved } = await this.accounts.unlink(actor, customerId, source);
    return { invoices_removed: invoicesRemoved };
  }
}
