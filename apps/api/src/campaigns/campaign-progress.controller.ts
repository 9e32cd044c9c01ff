import { CampaignProgressService } from '@app/campaigns';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ApiCampaignId, CampaignId } from './campaign-params.js';
import { CampaignStreamsService } from './campaign-streams.service.js';
import { CampaignProgressDto, FoundCampaignProgressDto } from './campaigns.dto.js';

const EVENT_STREAM = 'text/event-stream';
const STREAM_EXAMPLE = `retry: 2000

event: progress
data: {"campaign_id":1,"status":"running","pause_reason":null,"contacts":{"total":1000,"waiting":990,"calling":10,"reached":0,"exhausted":0,"refused":0,"cancelled":0},"outcomes":{"human":0,"machine":0,"unknown":0,"busy":0,"no_answer":0,"failed":0,"cancelled":0},"reasons":{"waiting_for_capacity":990},"attempts":10,"cost":0,"live_calls":8,"queued_calls":2,"next_attempt_at":"2026-01-02T03:04:05.678+00:00"}
`;

@ApiTags('Campaigns')
@ApiExtraModels(CampaignProgressDto)
@Controller('api/v1/campaigns/:campaignId')
export class CampaignProgressController {
  constructor(
    private readonly progress: CampaignProgressService,
    private readonly streams: CampaignStreamsService,
  ) {}

  @Get('progress')
  @Scopes('campaigns:read')
  @ApiOperation({
    operationId: 'getCampaignProgress',
    summary: 'Retrieve the progress of a campaign',
    description:
      'Returns contacts by status, outcome and reason. The counts are kept up to date; reading them costs the same for any number of contacts.',
  })
  @ApiCampaignId()
  @ApiResponse({ status: 200, type: FoundCampaignProgressDto, description: 'The progress.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @CampaignId() campaignId: number): Promise<FoundCampaignProgressDto> {
    return { data: await this.progress.find(accountId, campaignId) };
  }

  @Get('events')
  @Scopes('campaigns:read')
  @ApiOperation({
    operationId: 'watchCampaign',
    summary: 'Watch a campaign',
    description:
      'Streams the progress of a campaign as server-sent events of the type `progress`: at once, then after each change, at most one a second. The stream sends a comment every 15 s and closes when the campaign has ended and its last call is over. An account can have 100 such streams open at once. A client that does not read for 30 s is disconnected. With `Accept: application/json`, the response is the progress, once.',
  })
  @ApiCampaignId()
  @ApiResponse({
    status: 200,
    description: 'The events.',
    content: {
      [EVENT_STREAM]: {
        schema: { type: 'string', description: 'Each `data:` is a `CampaignProgressDto`.' },
        example: STREAM_EXAMPLE,
      },
      'application/json': { schema: { $ref: getSchemaPath(FoundCampaignProgressDto) } },
    },
  })
  @ApiErrors(404)
  async watch(
    @AccountId() accountId: number,
    @CampaignId() campaignId: number,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const progress = await this.progress.find(accountId, campaignId);
    response.vary('Accept');
    if (request.accepts(EVENT_STREAM, 'application/json') === 'application/json')
      return void response.json({ data: progress });
    if (request.method === 'HEAD') return void response.type(EVENT_STREAM).end();
    if (!request.user) throw new Error('A stream was requested without a token.');
    this.streams.start(request.user, progress, response);
  }
}
