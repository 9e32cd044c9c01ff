import {
  analyticsCsv,
  AnalyticsService,
  GuardrailAnalyticsService,
  RubricAnalyticsService,
  rubricCsv,
} from '@app/analytics';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { AnalyticsDto, AnalyticsQueryDto, toAnalyticsQuery } from './analytics.dto.js';
import { GuardrailAnalyticsDto, GuardrailQueryDto, toGuardrailQuery } from './guardrails.dto.js';
import { RubricAnalyticsDto, RubricQueryDto, toRubricQuery } from './rubrics.dto.js';

const CSV = 'text/csv';

@ApiTags('Analytics')
@Controller('api/v1/analytics')
export class AnalyticsController {
  constructor(
    private readonly analytics: AnalyticsService,
    private readonly rubrics: RubricAnalyticsService,
    private readonly guardrails: GuardrailAnalyticsService,
  ) {}

  @Get()
  @Scopes('analytics:read')
  @ApiOperation({
    operationId: 'getAnalytics',
    summary: 'Query analytics',
    description:
      'Returns metrics of the ended calls of the account by time and by up to two dimensions. A call counts in the interval of its creation, as in the list of calls, a few seconds after its end. Deleted calls stay counted. `format=csv`, or the header `Accept: text/csv`, returns a table with the same rows.',
  })
  @ApiProduces('application/json', CSV)
  @ApiResponse({
    status: 200,
    description:
      'The rows. CSV has the columns `start`, `end`, two per dimension (`agent`, `agent_label`), `is_other` and one per metric.',
    type: AnalyticsDto,
  })
  @ApiErrors(422)
  async query(
    @AccountId() accountId: number,
    @Query() query: AnalyticsQueryDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AnalyticsDto | string> {
    const view = await this.analytics.report(accountId, toAnalyticsQuery(query));
    if (!wantsCsv(query, request, response)) return view;
    response.attachment('analytics.csv').type(CSV);
    return analyticsCsv(view);
  }

  @Get('rubrics')
  @Scopes('analytics:read')
  @ApiOperation({
    operationId: 'getRubricAnalytics',
    summary: 'Query results of rubrics',
    description:
      'Returns the answers to the rubric questions of call analyses by time, agent and question: the share of `true` answers, the mean score, and the number of calls with each answer. The newest completed analysis of a call counts, in the interval in which the call was created, a few seconds after the analysis. Deleted calls stay counted. `format=csv`, or the header `Accept: text/csv`, returns a table with one line per answer.',
  })
  @ApiProduces('application/json', CSV)
  @ApiResponse({
    status: 200,
    description:
      'The questions. CSV has the columns `start`, `end`, `agent_id`, `agent_name`, `agent_version`, `name`, `type`, `calls`, `answered`, `true_share`, `mean`, `answer` and `answer_calls`.',
    type: RubricAnalyticsDto,
  })
  @ApiErrors(422)
  async rubricResults(
    @AccountId() accountId: number,
    @Query() query: RubricQueryDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RubricAnalyticsDto | string> {
    const view = await this.rubrics.report(accountId, toRubricQuery(query));
    if (!wantsCsv(query, request, response)) return view;
    response.attachment('rubrics.csv').type(CSV);
    return rubricCsv(view);
  }

  @Get('guardrails')
  @Scopes('analytics:read')
  @ApiOperation({
    operationId: 'getGuardrailAnalytics',
    summary: 'Query rules that applied',
    description:
      'Returns how often the rules of agents applied, and on how many calls, by agent, rule and action. A call counts at the time of its creation, also while it is live. Hits of deleted calls are not counted.',
  })
  @ApiResponse({ status: 200, description: 'The rules.', type: GuardrailAnalyticsDto })
  @ApiErrors(422)
  guardrailHits(@AccountId() accountId: number, @Query() query: GuardrailQueryDto): Promise<GuardrailAnalyticsDto> {
    return this.guardrails.report(accountId, toGuardrailQuery(query));
  }
}

function wantsCsv({ format }: { format?: 'json' | 'csv' }, request: Request, response: Response): boolean {
  response.vary('Accept');
  return format === undefined ? request.accepts(['json', CSV]) === CSV : format === 'csv';
}
