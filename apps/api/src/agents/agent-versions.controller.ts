import { AgentVersionsService } from '@app/agents';
import { AgentPublicationService } from '@app/simulation';
import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { Body, Controller, Delete, Get, Headers, HttpCode, Inject, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ReadsWholeBody } from '../http/server/body.guard.js';
import { addIgnoredFields } from '../http/validation/ignored-fields.js';
import { disconnectSignal } from '../http/server/long-requests.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { AgentId, ApiAgentId, ApiIdempotencyKey, PathId } from '../http/validation/path-params.js';
import { AgentWarningsService } from './agent-warnings.service.js';
import {
  AgentDraftDto,
  AgentVersionListDto,
  AgentVersionMessageDto,
  AgentVersionWithMessageDto,
  DRAFT_EXAMPLES,
  FoundAgentVersionDto,
  PUBLISH_EXAMPLES,
  PublishVersionDto,
} from './agent-versions.dto.js';

const Version = (): ParameterDecorator => PathId('version', 'Version', 'agent_versions');
const ApiVersion = (): MethodDecorator =>
  ApiParam({ name: 'version', description: 'Number of the version.', schema: { type: 'integer', minimum: 1 } });

@ApiTags('Agents')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/versions')
export class AgentVersionsController {
  constructor(
    private readonly versions: AgentVersionsService,
    private readonly publication: AgentPublicationService,
    private readonly warnings: AgentWarningsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('agents:read')
  @ApiOperation({
    operationId: 'listAgentVersions',
    summary: 'List versions of an agent',
    description:
      'Returns the versions, newest first, without their settings. The 100 newest superseded versions are kept, and those of active calls.',
  })
  @ApiResponse({ status: 200, type: AgentVersionListDto, description: 'A page of versions.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Query() query: PageQueryDto,
    @Req() request: Request,
  ): Promise<AgentVersionListDto> {
    const place = placeOf(query);
    const { versions, total } = await this.versions.page({ accountId, agentId }, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), versions, { ...place, total });
  }

  @Post()
  @Scopes('agents:write')
  @ReadsWholeBody()
  @ApiOperation({
    operationId: 'createAgentVersion',
    summary: 'Create a draft',
    description:
      'Creates a version with the current settings and the given ones. New calls do not get it until it is published.',
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: AgentDraftDto, examples: DRAFT_EXAMPLES })
  @ApiResponse({ status: 201, type: AgentVersionWithMessageDto, description: 'The draft was created.' })
  @ApiErrors(400, 404, 409, 413, 415, 422)
  async create(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentVersionWithMessageDto> {
    const body = (request.body ?? {}) as object;
    const key = idempotencyKey(header, { draft_of: agentId, ...body });
    const { view, ignored, replayed } = await this.versions.draft({ ...who, agentId }, body, key);
    addIgnoredFields(response, ignored);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Version created successfully.', data: view, ...(await this.warnings.of(view.settings)) };
  }

  @Get(':version')
  @Scopes('agents:read')
  @ApiVersion()
  @ApiOperation({
    operationId: 'getAgentVersion',
    summary: 'Retrieve a version',
    description: 'Returns the version with its settings. Values of webhook headers are masked.',
  })
  @ApiResponse({ status: 200, type: FoundAgentVersionDto, description: 'The version.' })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Version() version: number,
  ): Promise<FoundAgentVersionDto> {
    const data = await this.versions.find({ accountId, agentId, version });
    return { data, ...(await this.warnings.of(data.settings)) };
  }

  @Patch(':version')
  @Scopes('agents:write')
  @ReadsWholeBody()
  @ApiVersion()
  @ApiOperation({
    operationId: 'patchAgentVersion',
    summary: 'Update a draft',
    description: 'Updates the given fields of a draft. Other versions cannot be changed.',
  })
  @ApiBody({ type: AgentDraftDto, examples: DRAFT_EXAMPLES })
  @ApiResponse({ status: 200, type: AgentVersionWithMessageDto, description: 'The draft was updated.' })
  @ApiErrors(
    400,
    404,
    [409, 'NotADraft', 'Version 3 is current: only drafts can be changed and deleted.'],
    413,
    415,
    422,
  )
  async update(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Version() version: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentVersionWithMessageDto> {
    const { view, ignored } = await this.versions.edit({ ...who, agentId, version }, request.body ?? {});
    addIgnoredFields(response, ignored);
    return { message: 'Version updated successfully.', data: view, ...(await this.warnings.of(view.settings)) };
  }

  @Delete(':version')
  @Scopes('agents:write')
  @ApiVersion()
  @ApiOperation({ operationId: 'deleteAgentVersion', summary: 'Delete a draft', description: 'Deletes a draft.' })
  @ApiResponse({ status: 200, type: AgentVersionMessageDto, description: 'The draft is deleted.' })
  @ApiErrors(404, [409, 'NotADraft', 'Version 3 is current: only drafts can be changed and deleted.'])
  async delete(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Version() version: number,
  ): Promise<AgentVersionMessageDto> {
    await this.versions.deleteDraft({ ...who, agentId, version });
    return { message: 'Version deleted successfully.' };
  }

  @Post(':version/publish')
  @HttpCode(200)
  @Scopes('agents:write')
  @ApiVersion()
  @ApiOperation({
    operationId: 'publishAgentVersion',
    summary: 'Publish a version',
    description:
      'Makes a draft or the canary the current version, which ends a canary; or, with a `traffic_percent` below 100, the canary, which takes this share of the new calls. Calls that exist keep their version. With `publish_requires`, the response waits for the simulations, at most two minutes.',
  })
  @ApiBody({ type: PublishVersionDto, required: false, examples: PUBLISH_EXAMPLES })
  @ApiResponse({ status: 200, type: AgentVersionWithMessageDto, description: 'The version is published.' })
  @ApiErrors(400, 404, [409, 'VersionAlreadyCurrent', 'Version 3 is current already.'], 413, 415, 422)
  async publish(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Version() version: number,
    @Body() body: PublishVersionDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentVersionWithMessageDto> {
    const percent = body.traffic_percent ?? 100;
    const data = await this.publication.publish({ ...who, agentId, version }, percent, disconnectSignal(response));
    return { message: 'Version published successfully.', data, ...(await this.warnings.of(data.settings)) };
  }

  @Delete(':version/traffic')
  @Scopes('agents:write')
  @ApiVersion()
  @ApiOperation({
    operationId: 'endAgentCanary',
    summary: 'End a canary',
    description: 'All new calls get the current version; calls that have the canary keep it.',
  })
  @ApiResponse({ status: 200, type: AgentVersionMessageDto, description: 'The canary has ended.' })
  @ApiErrors(404, [409, 'NotTheCanary', 'Version 3 is not the canary.'])
  async endCanary(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Version() version: number,
  ): Promise<AgentVersionMessageDto> {
    await this.versions.endCanary({ ...who, agentId, version });
    return { message: 'Canary ended successfully.' };
  }

  @Post(':version/restore')
  @HttpCode(200)
  @Scopes('agents:write')
  @ApiVersion()
  @ApiOperation({
    operationId: 'restoreAgentVersion',
    summary: 'Restore a version',
    description:
      'Makes a new current version with the settings of an earlier one, which ends a canary. With `publish_requires`, the response waits for the simulations, at most two minutes.',
  })
  @ApiResponse({ status: 200, type: AgentVersionWithMessageDto, description: 'The new version.' })
  @ApiErrors(404, [409, 'VersionIsCurrent', 'Version 3 is current.'], 422)
  async restore(
    @Actor() who: Acting,
    @AgentId() agentId: number,
    @Version() version: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentVersionWithMessageDto> {
    const data = await this.publication.restore({ ...who, agentId, version }, disconnectSignal(response));
    return { message: 'Version restored successfully.', data, ...(await this.warnings.of(data.settings)) };
  }
}
