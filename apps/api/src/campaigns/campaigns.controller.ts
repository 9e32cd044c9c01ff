import type { Acting } from '@app/audit';
import { CampaignsService } from '@app/campaigns';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { Body, Controller, Delete, Get, Headers, HttpCode, Inject, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AgentWarningsService } from '../agents/agent-warnings.service.js';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { addIgnoredFields } from '../http/validation/ignored-fields.js';
import { ListUrl, pageOf, placeOf } from '../http/responses/pagination.js';
import { ApiIdempotencyKey } from '../http/validation/path-params.js';
import { ApiCampaignId, CampaignId } from './campaign-params.js';
import {
  CREATE_CAMPAIGN_EXAMPLES,
  CreateCampaignDto,
  ListCampaignsDto,
  UPDATE_CAMPAIGN_EXAMPLES,
  UpdateCampaignDto,
} from './campaign-requests.dto.js';
import { CampaignDeletedDto, CampaignListDto, CampaignWithMessageDto, FoundCampaignDto } from './campaigns.dto.js';

const CONFLICT = 'The campaign is completed and cannot be started.';

@ApiTags('Campaigns')
@Controller('api/v1/campaigns')
export class CampaignsController {
  constructor(
    private readonly campaigns: CampaignsService,
    private readonly warnings: AgentWarningsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('campaigns:read')
  @ApiOperation({
    operationId: 'listCampaigns',
    summary: 'List campaigns',
    description: 'Returns the campaigns of the account, newest first.',
  })
  @ApiResponse({ status: 200, type: CampaignListDto, description: 'A page of campaigns.' })
  @ApiErrors(422)
  async list(
    @AccountId() accountId: number,
    @Query() query: ListCampaignsDto,
    @Req() request: Request,
  ): Promise<object> {
    const place = placeOf(query);
    const { campaigns, total } = await this.campaigns.list(accountId, { status: query.status }, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), campaigns, { ...place, total });
  }

  @Post()
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'createCampaign',
    summary: 'Create a campaign',
    description:
      'Creates a draft. Add contacts, then start it. An account has at most 1,000 campaigns, and a campaign at most 1,000,000 contacts.',
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: CreateCampaignDto, examples: CREATE_CAMPAIGN_EXAMPLES })
  @ApiResponse({ status: 201, type: CampaignWithMessageDto, description: 'The campaign was created.' })
  @ApiErrors(400, 409, 413, 415, 422)
  async create(
    @Actor() who: Acting,
    @Body() body: CreateCampaignDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CampaignWithMessageDto> {
    const key = idempotencyKey(header, { campaign: request.body as object });
    const { view, ignored, replayed } = await this.campaigns.create(who, body, key);
    addIgnoredFields(response, ignored);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Campaign created successfully.', data: view };
  }

  @Get(':campaignId')
  @Scopes('campaigns:read')
  @ApiOperation({ operationId: 'getCampaign', summary: 'Retrieve a campaign' })
  @ApiCampaignId()
  @ApiResponse({ status: 200, type: FoundCampaignDto, description: 'The campaign.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @CampaignId() campaignId: number): Promise<FoundCampaignDto> {
    return { data: await this.campaigns.find(accountId, campaignId) };
  }

  @Patch(':campaignId')
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'updateCampaign',
    summary: 'Update a campaign',
    description:
      'Updates the given fields, also those of `schedule`, `retry` and `pacing`; lists are replaced. While the campaign runs, only `name`, `schedule`, `retry` and `pacing` can be changed; they apply to the next calls.',
  })
  @ApiCampaignId()
  @ApiBody({ type: UpdateCampaignDto, examples: UPDATE_CAMPAIGN_EXAMPLES })
  @ApiResponse({ status: 200, type: CampaignWithMessageDto, description: 'The campaign was updated.' })
  @ApiErrors(
    400,
    404,
    [409, 'CampaignCannotBeChanged', 'The campaign is completed and cannot be changed.'],
    413,
    415,
    422,
  )
  async update(
    @Actor() who: Acting,
    @CampaignId() campaignId: number,
    @Body() body: UpdateCampaignDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CampaignWithMessageDto> {
    const { view, ignored } = await this.campaigns.update(who, campaignId, body);
    addIgnoredFields(response, ignored);
    return { message: 'Campaign updated successfully.', data: view };
  }

  @Delete(':campaignId')
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'deleteCampaign',
    summary: 'Delete a campaign',
    description: 'Deletes a draft, or a campaign that has ended, with its contacts and imports. Its calls stay.',
  })
  @ApiCampaignId()
  @ApiResponse({ status: 200, type: CampaignDeletedDto, description: 'The campaign is deleted.' })
  @ApiErrors(404, [409, 'CampaignCannotBeDeleted', 'The campaign is running. Cancel it before it is deleted.'])
  async delete(@Actor() who: Acting, @CampaignId() campaignId: number): Promise<CampaignDeletedDto> {
    await this.campaigns.delete(who, campaignId);
    return { message: 'Campaign deleted successfully.' };
  }

  @Post(':campaignId/start')
  @HttpCode(200)
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'startCampaign',
    summary: 'Start a campaign',
    description: 'Starts a draft that has contacts. More contacts can be added while it runs.',
  })
  @ApiCampaignId()
  @ApiResponse({ status: 200, type: CampaignWithMessageDto, description: 'The campaign runs.' })
  @ApiErrors(404, [409, 'CampaignCannotBeStarted', CONFLICT], 422)
  async start(@Actor() who: Acting, @CampaignId() campaignId: number): Promise<CampaignWithMessageDto> {
    const data = await this.campaigns.start(who, campaignId);
    const warned = data.agent_id === null ? {} : await this.warnings.ofAgent(who.accountId, data.agent_id);
    return { message: 'Campaign started.', data, ...warned };
  }

  @Post(':campaignId/pause')
  @HttpCode(200)
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'pauseCampaign',
    summary: 'Pause a campaign',
    description:
      'Within a second, no further call is dialled, not even one that is queued already. Calls that ring or are answered go on.',
  })
  @ApiCampaignId()
  @ApiResponse({ status: 200, type: CampaignWithMessageDto, description: 'The campaign is paused.' })
  @ApiErrors(404, [409, 'CampaignCannotBePaused', 'The campaign is draft and cannot be paused.'])
  async pause(@Actor() who: Acting, @CampaignId() campaignId: number): Promise<CampaignWithMessageDto> {
    return { message: 'Campaign paused.', data: await this.campaigns.pause(who, campaignId) };
  }

  @Post(':campaignId/resume')
  @HttpCode(200)
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'resumeCampaign',
    summary: 'Resume a campaign',
    description: 'Resumes a paused campaign. Its ramp-up and its failure threshold start over.',
  })
  @ApiCampaignId()
  @ApiResponse({ status: 200, type: CampaignWithMessageDto, description: 'The campaign runs.' })
  @ApiErrors(404, [409, 'CampaignCannotBeResumed', 'The campaign is running and cannot be resumed.'], 422)
  async resume(@Actor() who: Acting, @CampaignId() campaignId: number): Promise<CampaignWithMessageDto> {
    return { message: 'Campaign resumed.', data: await this.campaigns.resume(who, campaignId) };
  }

  @Post(':campaignId/cancel')
  @HttpCode(200)
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'cancelCampaign',
    summary: 'Cancel a campaign',
    description: 'Ends the campaign permanently. Queued calls are not dialled; ringing and answered calls continue.',
  })
  @ApiCampaignId()
  @ApiResponse({ status: 200, type: CampaignWithMessageDto, description: 'The campaign is cancelled.' })
  @ApiErrors(404, [409, 'CampaignCannotBeCancelled', 'The campaign is completed and cannot be cancelled.'])
  async cancel(@Actor() who: Acting, @CampaignId() campaignId: number): Promise<CampaignWithMessageDto> {
    return { message: 'Campaign cancelled.', data: await this.campaigns.cancel(who, campaignId) };
  }
}
