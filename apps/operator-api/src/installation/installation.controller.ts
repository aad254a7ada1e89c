import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CustomersOperatorService } from '@domains/customers';
import { ProblemReplies } from '@platform/http';
import { DoctorService } from '@platform/maintenance';
import { AnyRole, RequireRole } from '../access/operator-access';
import { FindingListDto, StorageListDto, StorageQueryDto } from './installation.dto';

@ApiTags('Installation')
@Controller('installation')
export class InstallationController {
  constructor(
    private readonly doctor: DoctorService,
    private readonly customers: CustomersOperatorService,
  ) {}

  @Get('checks')
  @RequireRole()
  @ApiOperation({
    summary: 'Check this installation',
    description:
      'Credentials, other systems, clock, erasures, memory, disk, backup. Asks each system once, which takes seconds.',
  })
  @ApiOkResponse({ type: FindingListDto, description: 'The findings.' })
  async checkInstallation(): Promise<FindingListDto> {
    return { data: await this.doctor.examine() };
  }

  @Get('storage')
  @AnyRole()
  @ApiOperation({ summary: 'List who stored most', description: 'In tickets, SMS and kept replies, by day of UTC.' })
  @ApiOkResponse({ type: StorageListDto, description: 'The customers, the largest first.' })
  @ProblemReplies('invalid_request')
  async listStorage(@Query() { days, limit }: StorageQueryDto): Promise<StorageListDto> {
    const rows = await this.customers.storage(days, limit);
    return {
      data: rows.map(({ id, customerNumber, name, bytes, largestDay }) => ({
        ...{ customer_id: id, customer_number: customerNumber, customer_name: name },
        ...{ bytes, largest_day_bytes: largestDay },
      })),
    };
  }
}
