import { Readable } from 'node:stream';
import { Body, Controller, HttpCode, HttpStatus, Param, Post, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CustomerImportOperatorService } from '@domains/customers';
import { CustomerErasureOperatorService, CustomerExportOperatorService } from '@schema';
import { PathId, ProblemReplies, WithoutBody, WithoutEffect } from '@platform/http';
import { Actor, FreshLogin, RequireRole } from '../access/operator-access';
import {
  EraseCustomerDto,
  ErasureDto,
  ImportCustomersDto,
  ImportedLinesDto,
  toImportedLineDto,
} from './customer-data.dto';
import { CUSTOMER_ID, NO_SUCH_CUSTOMER } from './of-customer.dto';

@ApiTags('Customers')
@Controller()
export class CustomerDataController {
  constructor(
    private readonly erasures: CustomerErasureOperatorService,
    private readonly exports: CustomerExportOperatorService,
    private readonly imports: CustomerImportOperatorService,
  ) {}

  @Post('customers/import')
  @HttpCode(HttpStatus.OK)
  @RequireRole()
  @ApiOperation({
    summary: 'Add the customers of a CSV text',
    description: 'All or none, with a report of every line.',
  })
  @ApiOkResponse({ type: ImportedLinesDto, description: 'The outcome of every line.' })
  @ProblemReplies('invalid_request', 'cross_site_request')
  async importCustomers(@Actor() actor: string, @Body() { csv, dry_run: dryRun = false }: ImportCustomersDto) {
    return { data: (await this.imports.importFile(actor, csv, dryRun)).map(toImportedLineDto) };
  }

  /** A POST, because the audit log records it. */
  @Post('customers/:id/export')
  @HttpCode(HttpStatus.OK)
  @RequireRole()
  @FreshLogin()
  @WithoutBody()
  @WithoutEffect()
  @ApiOperation({
    summary: 'Export all data of a customer',
    description: 'As one JSON value, table by table, without secrets. Takes no body.',
  })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({
    schema: { type: 'object', additionalProperties: true, example: { customer: [] } },
    description: 'The rows of each table.',
  })
  @ProblemReplies('cross_site_request', NO_SUCH_CUSTOMER)
  async exportCustomer(@Actor() actor: string, @Param('id', PathId.uuid) id: string): Promise<StreamableFile> {
    return new StreamableFile(Readable.from(await this.exports.exportJson(actor, id)), {
      type: 'application/json; charset=utf-8',
      disposition: `attachment; filename="customer-${id}.json"`,
    });
  }

  @Post('customers/:id/erase')
  @HttpCode(HttpStatus.OK)
  @RequireRole()
  @FreshLogin()
  @WithoutEffect()
  @ApiOperation({
    summary: 'Erase the personal data of a customer',
    description: 'Of a deactivated one, except records that accounting law requires. This cannot be undone.',
  })
  @ApiParam(CUSTOMER_ID)
  @ApiOkResponse({ type: ErasureDto, description: 'The rows that were erased, or would be.' })
  @ProblemReplies('invalid_request', 'cross_site_request', NO_SUCH_CUSTOMER)
  async eraseCustomer(
    @Actor() actor: string,
    @Param('id', PathId.uuid) id: string,
    @Body() { dry_run: dryRun }: EraseCustomerDto,
  ): Promise<ErasureDto> {
    return { data: await this.erasures.erase(actor, id, { dryRun }) };
  }
}
