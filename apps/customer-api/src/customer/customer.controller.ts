import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnyScope } from '@platform/access';
import { CustomerProfileService } from '@domains/customers';
import { CustomerDto, toCustomerDto } from './customer.dto';

@ApiTags('Customer')
@Controller('customer')
export class CustomerController {
  constructor(private readonly profiles: CustomerProfileService) {}

  @Get()
  @AnyScope()
  @ApiOperation({
    summary: 'Read your customer profile',
    description: 'The profile of the customer that the token belongs to.',
  })
  @ApiOkResponse({ type: CustomerDto, description: 'The profile.' })
  async getCustomer(): Promise<CustomerDto> {
    return toCustomerDto(await this.profiles.find());
  }
}
