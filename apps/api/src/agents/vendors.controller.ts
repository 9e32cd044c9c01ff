import { VendorCatalogService } from '@app/agents';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { disconnectSignal } from '../http/server/long-requests.js';
import { catalogOf, FoundVendorCatalogDto, VendorQueryDto, VoiceQueryDto } from './vendors.dto.js';

const AUDIO = { schema: { type: 'string' as const, format: 'binary' } };

@ApiTags('Agents')
@Controller('api/v1/vendors')
export class VendorsController {
  constructor(private readonly catalogs: VendorCatalogService) {}

  @Get('catalog')
  @Scopes('agents:read')
  @ApiOperation({
    operationId: 'getVendorCatalog',
    summary: 'List the models and voices of a vendor',
    description:
      'Returns the published lists of the vendor, read with the key of the installation and kept for five minutes. Voices that a vendor names in its documentation alone (OpenAI, Gemini) are those of this release, and the uses of models of OpenAI follow from their names. The lists are suggestions: agents can name any model and voice.',
  })
  @ApiResponse({ status: 200, type: FoundVendorCatalogDto, description: 'The lists.' })
  @ApiErrors(422)
  async find(@Query() { vendor }: VendorQueryDto): Promise<FoundVendorCatalogDto> {
    return { data: catalogOf(await this.catalogs.find(vendor)) };
  }

  @Get('voice-sample')
  @Scopes('agents:read')
  @ApiOperation({
    operationId: 'getVoiceSample',
    summary: 'Download a sample of a voice',
    description: 'Returns the recording that the vendor publishes for a voice with `has_sample`.',
  })
  @ApiResponse({
    status: 200,
    description: 'The sample.',
    content: { 'audio/mpeg': AUDIO, 'audio/wav': AUDIO },
  })
  @ApiErrors(404, 422, 503)
  async sample(@Query() { vendor, voice }: VoiceQueryDto, @Res() response: Response): Promise<void> {
    const { type, audio } = await this.catalogs.sample(vendor, voice, disconnectSignal(response));
    response.set({ 'Content-Type': type, 'Cache-Control': 'private, no-store' }).end(audio);
  }
}
