import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnyScope, CurrentCustomer } from '@platform/access';
import { type AuthenticatedCustomer } from '@platform/tokens';
import { CustomerProfileService } from '@domains/customers';
import { CustomerDto, toCustomerDto } from './dto/customer.dto';

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
  async getCustomer(@CurrentCustomer() { customerId }: AuthenticatedCustomer): Promise<CustomerDto> {
    return toCustomerDto(await this.profiles.find(customerId));
  }
}
