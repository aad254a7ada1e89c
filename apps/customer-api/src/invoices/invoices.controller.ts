import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '@platform/access';
import { AppConfig, customerApiAddress } from '@platform/config';
import { ClientGone, PathId, ProblemReplies, toPageDto, toPageRequest } from '@platform/http';
import { InvoicePdfsService, InvoicesService } from '@domains/invoices';
import { InvoiceDto, toInvoiceDto } from '@records/invoice.dto';
import { InvoicePageDto, InvoiceQueryDto } from './invoice.dto';

@ApiTags('Invoices')
@Controller('invoices')
export class InvoicesController {
  private readonly baseUrl: string;

  constructor(
    private readonly invoices: InvoicesService,
    private readonly pdfs: InvoicePdfsService,
    config: AppConfig,
  ) {
    this.baseUrl = customerApiAddress(config);
  }

  @Get()
  @RequireScope('invoices:read')
  @ApiOperation({ summary: 'List your invoices', description: 'Newest first, from all billing systems.' })
  @ApiOkResponse({ type: InvoicePageDto, description: 'A page of the list.' })
  @ProblemReplies('invalid_request')
  async listInvoices(@Query() query: InvoiceQueryDto): Promise<InvoicePageDto> {
    const { status, issue_date_from: issuedFrom, issue_date_to: issuedTo } = query;
    const found = await this.invoices.list(toPageRequest(query), { status, issuedFrom, issuedTo });
    return toPageDto(found, (row) => toInvoiceDto(row, this.baseUrl));
  }

  @Get(':id')
  @RequireScope('invoices:read')
  @ApiOperation({
    summary: 'Read one of your invoices',
    description: 'Includes its current status and the address of its PDF.',
  })
  @ApiParam({ name: 'id', description: 'The invoice.', schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ type: InvoiceDto, description: 'The invoice.' })
  @ProblemReplies(['not_found', 'You have no invoice with this id'])
  async getInvoice(@Param('id', PathId.uuid) id: string): Promise<InvoiceDto> {
    return toInvoiceDto(await this.invoices.find(id), this.baseUrl);
  }

  @Get(':id/pdf')
  @RequireScope('invoices:read')
  @ApiOperation({
    summary: 'Fetch the PDF of an invoice',
    description: 'Only for invoices whose `pdf_url` is this address.',
  })
  @ApiParam({ name: 'id', description: 'The invoice.', schema: { type: 'string', format: 'uuid' } })
  @ApiProduces('application/pdf')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' }, description: 'The PDF.' })
  @ProblemReplies(['not_found', 'You have no invoice with this id that has a PDF'], 'service_unavailable')
  async getInvoicePdf(
    @Param('id', PathId.uuid) id: string,
    @ClientGone() clientGone: AbortSignal,
  ): Promise<StreamableFile> {
    const { content, length, fileName } = await this.pdfs.open(id, clientGone);
    return new StreamableFile(content, {
      type: 'application/pdf',
      disposition: `inline; filename="${fileName}"`,
      length,
    });
  }
}
