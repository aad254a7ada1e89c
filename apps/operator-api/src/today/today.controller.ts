import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnyRole } from '../access/operator-access';
import { TodayDto } from './today.dto';
import { TodayService } from './today.service';

@ApiTags('Today')
@Controller('today')
export class TodayController {
  constructor(private readonly today: TodayService) {}

  @Get()
  @AnyRole()
  @ApiOperation({
    summary: 'Read what waits for somebody',
    description: 'With figures of the last 30 days, and the state of other systems.',
  })
  @ApiOkResponse({ type: TodayDto, description: 'The present state.' })
  getToday(): Promise<TodayDto> {
    return this.today.read();
  }
}
