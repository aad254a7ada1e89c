import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { InvoicesOperatorService } from '@domains/invoices';
import { PathId, ProblemReplies, toInboxPageDto, toInboxRequest } from '@platform/http';
import { hundredths } from '@platform/money';
import { Actor, AnyRole, FreshLogin, RequireRole } from '../access/operator-access';
import { CustomerNamesService } from '../customers/customer-names.service';
import {
  AddInvoiceDto,
  InvoiceDetailsDto,
  InvoiceDto,
  InvoicePageDto,
  InvoiceQueryDto,
  SetInvoiceStatusDto,
  toInvoiceDetailsDto,
  toInvoiceDto,
} from './invoice.dto';

const INVOICE_ID = { name: 'id', description: 'The invoice.', schema: { type: 'string', format: 'uuid' } } as const;
const NO_SUCH_INVOICE = ['not_found', 'There is no invoice b7c4a3f2-11d4-4f7e-8f3f-9a2d3c4b5e6f'] as const;

@ApiTags('Invoices')
@Controller('invoices')
export class InvoicesController {
  constructor(
    private readonly invoices: InvoicesOperatorService,
    private readonly customers: CustomerNamesService,
  ) {}

  @Get()
  @AnyRole()
  @ApiOperation({ summary: 'List invoices', description: 'Of one customer or of all, drafts included.' })
  @ApiOkResponse({ type: InvoicePageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listInvoices(@Query() query: InvoiceQueryDto): Promise<InvoicePageDto> {
    const { customer_id: customerId, status, source, due_before: dueBefore, overdue, search } = query;
    const filter = { customerId, status, source, dueBefore, overdue, search };
    const page = await this.invoices.inbox(filter, toInboxRequest(query));
    return toInboxPageDto(await this.customers.addTo(page), toInvoiceDto);
  }

  @Post()
  @RequireRole('billing')
  @FreshLogin()
  @ApiOperation({
    summary: 'Add an invoice',
    description: 'One that the operator issued outside of any billing source.',
  })
  @ApiCreatedResponse({ type: InvoiceDto, description: 'The new invoice.' })
  @ProblemReplies('invalid_request', 'cross_site_request', 'not_found')
  async addInvoice(@Actor() actor: string, @Body() body: AddInvoiceDto): Promise<InvoiceDto> {
    const { customer_id: customerId, number, issue_date: issueDate, due_date: dueDate } = body;
    const links = {
      kid: body.kid ?? undefined,
      pdfUrl: body.pdf_url ?? undefined,
      hostedUrl: body.hosted_url ?? undefined,
    };
    const amount = hundredths(String(body.amount_nok));
    const added = await this.invoices.add(actor, { customerId, number, amount, issueDate, dueDate, ...links });
    return toInvoiceDto(await this.customers.addToOne(added));
  }

  @Get(':id')
  @AnyRole()
  @ApiOperation({ summary: 'Read an invoice', description: 'With its links.' })
  @ApiParam(INVOICE_ID)
  @ApiOkResponse({ type: InvoiceDetailsDto, description: 'The invoice.' })
  @ProblemReplies(NO_SUCH_INVOICE)
  async getInvoice(@Param('id', PathId.uuid) id: string): Promise<InvoiceDetailsDto> {
    return toInvoiceDetailsDto(await this.customers.addToOne(await this.invoices.show(id)));
  }

  @Post(':id/set-status')
  @HttpCode(HttpStatus.OK)
  @RequireRole('billing')
  @FreshLogin()
  @ApiOperation({
    summary: 'Set the status of an invoice',
    description: 'Of one that the operator issued. With `replaces`, refused if it has another status by now.',
  })
  @ApiParam(INVOICE_ID)
  @ApiOkResponse({ type: InvoiceDto, description: 'The changed invoice.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_INVOICE)
  async setInvoiceStatus(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { status, replaces }: SetInvoiceStatusDto,
  ): Promise<InvoiceDto> {
    const changed = await this.invoices.setStatus(actor, id, status, replaces ?? undefined);
    return toInvoiceDto(await this.customers.addToOne(changed));
  }
}
