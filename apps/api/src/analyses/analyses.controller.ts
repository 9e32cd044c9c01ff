import { CallAnalysesService } from '@app/call-analysis';
import { CallsService } from '@app/calls';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { Body, Controller, Get, Headers, HttpCode, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { addIgnoredFields } from '../http/validation/ignored-fields.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { ApiCallId, ApiIdempotencyKey, CallId, PathUuid } from '../http/validation/path-params.js';
import {
  AnalysesDto,
  AnalysisWithMessageDto,
  BatchListDto,
  BatchWithMessageDto,
  CreateBatchDto,
  FoundAnalysisDto,
  FoundBatchDto,
  RerunAnalysisDto,
} from './analyses.dto.js';

const RERUN_EXAMPLES = {
  again: { summary: 'With the settings of the agent', value: {} },
  model: { summary: 'With another model', value: { model: { provider: 'anthropic', model: 'claude-haiku-4-5' } } },
  schema: {
    summary: 'With another schema',
    value: { extract: { type: 'object', properties: { callback_at: { type: 'string', format: 'date-time' } } } },
  },
};

const BATCH_EXAMPLES = {
  agent: {
    summary: 'All calls of an agent in November',
    value: { filter: { agent_id: 1, date_from: '2026-11-01', date_to: '2026-11-30' } },
  },
  rubric: {
    summary: 'A new question for the calls of a campaign',
    value: {
      filter: { campaign_id: 7 },
      analysis: { rubric: [{ name: 'interested', question: 'Does the person want an offer?', type: 'boolean' }] },
    },
  },
};

/** The analyses of one call. */
@ApiTags('Call results')
@Controller('api/v1/calls/:callId')
export class CallAnalysesController {
  constructor(
    private readonly analyses: CallAnalysesService,
    private readonly calls: CallsService,
  ) {}

  @Get('analysis')
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'getCallAnalysis',
    summary: 'Retrieve the analysis of a call',
    description:
      'Returns the newest analysis of the call. Each value has the places in the call that prove it; a value whose evidence is not in the call is null and `unsupported`.',
  })
  @ApiCallId()
  @ApiResponse({ status: 200, type: FoundAnalysisDto, description: 'The analysis.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @CallId() callId: string): Promise<FoundAnalysisDto> {
    await this.calls.find(accountId, callId);
    return { data: await this.analyses.latest(accountId, callId) };
  }

  @Get('analyses')
  @Scopes('calls:read')
  @ApiOperation({ operationId: 'listCallAnalyses', summary: 'List the analyses of a call' })
  @ApiCallId()
  @ApiResponse({ status: 200, type: AnalysesDto, description: 'The analyses.' })
  @ApiErrors(404)
  async list(@AccountId() accountId: number, @CallId() callId: string): Promise<AnalysesDto> {
    await this.calls.find(accountId, callId);
    return { data: await this.analyses.versions(accountId, callId) };
  }

  @Post('analysis')
  @HttpCode(202)
  @Scopes('calls:write')
  @ApiOperation({
    operationId: 'analyseCall',
    summary: 'Analyse a call again',
    description:
      'Queues another analysis of an answered call, with the settings of its agent; the body may replace `extract`, `rubric`, `summary_prompt` and `model`. Earlier versions stay. At its end, the webhook `call-analysis` is sent.',
  })
  @ApiCallId()
  @ApiIdempotencyKey()
  @ApiBody({ type: RerunAnalysisDto, examples: RERUN_EXAMPLES })
  @ApiResponse({ status: 202, type: AnalysisWithMessageDto, description: 'The analysis is queued.' })
  @ApiErrors(
    400,
    404,
    [409, 'NothingToAnalyse', 'The call was not answered or has not ended, so there is nothing to analyse.'],
    413,
    415,
    422,
  )
  async rerun(
    @AccountId() accountId: number,
    @CallId() callId: string,
    @Body() body: RerunAnalysisDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AnalysisWithMessageDto> {
    const key = idempotencyKey(header, { analysis: request.body as object, call: callId });
    const { view, ignored, replayed } = await this.analyses.rerun(
      accountId,
      callId,
      Object.fromEntries(Object.entries(body)),
      key,
    );
    addIgnoredFields(response, ignored);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: 'Analysis queued.', data: view };
  }
}

/** Analyses of many calls. */
@ApiTags('Call results')
@Controller('api/v1/analyses')
export class AnalysesController {
  constructor(
    private readonly analyses: CallAnalysesService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'listAnalyses',
    summary: 'List requests for analyses',
    description:
      'Returns the batches of analyses that `POST /analyses` has queued, with their progress, newest first. They are kept for 90 days.',
  })
  @ApiResponse({ status: 200, type: BatchListDto, description: 'A page of batches.' })
  @ApiErrors(422)
  async list(
    @AccountId() accountId: number,
    @Query() query: PageQueryDto,
    @Req() request: Request,
  ): Promise<BatchListDto> {
    const place = placeOf(query);
    const { batches, total } = await this.analyses.batchPage(accountId, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), batches, { ...place, total });
  }

  @Post()
  @HttpCode(202)
  @Scopes('calls:write')
  @ApiOperation({
    operationId: 'createAnalyses',
    summary: 'Analyse calls again',
    description:
      'Queues an analysis of each answered call that the filter matches, 10,000 at most. Calls of other accounts, without a transcript, or of agents without an analysis (unless the body has one) are left out.',
  })
  @ApiIdempotencyKey()
  @ApiBody({ type: CreateBatchDto, examples: BATCH_EXAMPLES })
  @ApiResponse({ status: 202, type: BatchWithMessageDto, description: 'The analyses are queued.' })
  @ApiErrors(400, 409, 413, 415, 422)
  async create(
    @AccountId() accountId: number,
    @Body() body: CreateBatchDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BatchWithMessageDto> {
    const key = idempotencyKey(header, { analyses: request.body as object });
    const { view, ignored, replayed } = await this.analyses.startBatch(
      accountId,
      Object.fromEntries(Object.entries(body)),
      key,
    );
    addIgnoredFields(response, ignored);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return { message: `${view.calls} ${view.calls === 1 ? 'analysis' : 'analyses'} queued.`, data: view };
  }

  @Get(':batchId')
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'getAnalyses',
    summary: 'Retrieve the progress of analyses',
    description: 'Batches are kept for 90 days; their analyses stay with the calls.',
  })
  @ApiParam({ name: 'batchId', description: 'The `id` of the batch.', schema: { type: 'string', format: 'uuid' } })
  @ApiResponse({ status: 200, type: FoundBatchDto, description: 'The progress.' })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @PathUuid('batchId', 'Analysis batch', 'analysis_batches') batchId: string,
  ): Promise<FoundBatchDto> {
    return { data: await this.analyses.batch(accountId, batchId) };
  }
}
