import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AiModelsService } from '@domains/ai';
import { RequireScope, TokenInApiKey } from '@platform/access';
import { ServiceError } from '@platform/errors';
import { ProblemReplies } from '@platform/http';
import { SdkModelDto, SdkModelListDto, toSdkModelDto, toSdkModelListDto } from './sdk.dto';

/** The model at the addresses and in the format of the provider's SDKs. */
@ApiTags('AI for SDKs')
@TokenInApiKey()
@Controller('ai/v1/models')
export class SdkModelsController {
  constructor(private readonly models: AiModelsService) {}

  @Get()
  @RequireScope('ai:read')
  @ApiOperation({
    summary: 'List the models, as SDKs do',
    description:
      'Lists the one model that your operator has fixed, or none while AI is not set up for you. Behind and before it, with ' +
      '`after_id` or `before_id`, there is none.',
  })
  @ApiOkResponse({ type: SdkModelListDto, description: 'Your models.' })
  async listSdkModels(
    // Not declared in the document: the functions of generated clients would get another parameter.
    @Query() { after_id: after, before_id: before }: Record<string, unknown>,
  ): Promise<SdkModelListDto> {
    const model = (await this.models.find())?.model;
    return toSdkModelListDto(model === after || model === before ? undefined : model);
  }

  @Get(':id')
  @RequireScope('ai:read')
  @ApiOperation({ summary: 'Read a model, as SDKs do' })
  @ApiParam({ name: 'id', description: 'The model.', schema: { type: 'string' }, example: 'claude-haiku-4-5' })
  @ApiOkResponse({ type: SdkModelDto, description: 'The model.' })
  @ProblemReplies(['not_found', 'You have no model of this name; GET /ai/v1/models has yours'])
  async getSdkModel(@Param('id') id: string): Promise<SdkModelDto> {
    return toSdkModelDto(known(id, await this.models.find()));
  }
}

/** @throws ServiceError not_found */
function known(id: string, found: { model: string } | undefined): string {
  if (found?.model === id) return id;
  throw new ServiceError('not_found', 'You have no model of this name; GET /ai/v1/models has yours');
}
