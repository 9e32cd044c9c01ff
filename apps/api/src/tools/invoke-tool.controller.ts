import { type FieldErrors, InvalidFields } from '@app/common';
import { type AgentTool, argumentProblems, ToolRunner, ToolsService } from '@app/tools';
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ApiErrors } from '../http/api-errors.js';
import { PathId } from '../http/path-params.js';
import { clientDisconnected, disconnectSignal } from '../http/client-disconnect.js';
import { AgentId, ApiAgentId } from '../knowledge-bases/path-ids.js';
import { InvokeLimit } from './invoke-limit.js';
import { InvokedToolDto, invokedView, InvokeToolDto } from './invoke-tool.dto.js';

const ID = { type: 'integer', minimum: 1 } as const;

@ApiTags('Tools')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/tools/:id/invoke')
export class InvokeToolController {
  constructor(
    private readonly tools: ToolsService,
    private readonly runner: ToolRunner,
    private readonly limit: InvokeLimit,
  ) {}

  @Post()
  @HttpCode(200)
  @Scopes('tools:write')
  @ApiOperation({
    operationId: 'invokeTool',
    summary: 'Try a tool',
    description:
      'Runs the actions of a tool for real, without a call: requests are sent, and what is not waited for is queued and delivered. A tool that is not active can be tried, too. Answers 200 whatever the endpoints do; the answer comes when the last action that is waited for has ended, after 120 s at the latest. Four at once per account.',
  })
  @ApiParam({ name: 'id', description: 'The `id` of the tool.', schema: ID })
  @ApiResponse({ status: 200, type: InvokedToolDto, description: 'What the actions came to.' })
  @ApiErrors(400, 404, 413, 415, 422, 429)
  async invoke(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @PathId('id', 'Tool') toolId: number,
    @Body() body: InvokeToolDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InvokedToolDto> {
    const args = body.arguments ?? {};
    const { tool, agentName } = await this.tools.invokable({ accountId, agentId }, toolId);
    refuseInvalid(tool, args);
    const agent = { id: agentId, name: agentName };
    const metadata = body.metadata ?? null;
    const context = { accountId, agent, call: null, metadata, toolCallId: null, source: 'invoke' as const };
    const release = this.limit.acquire(accountId, response);
    const left = disconnectSignal(response);
    try {
      const run = await this.runner.run(tool, args, context, left);
      if (left.aborted) throw clientDisconnected();
      return { data: invokedView(run) };
    } finally {
      release();
    }
  }
}

function refuseInvalid({ parameters }: AgentTool, args: Record<string, unknown>): void {
  const problems = argumentProblems(parameters, args);
  if (!problems) return;
  const fields: FieldErrors = {};
  for (const problem of problems) {
    const [, path = '', rest = ''] = /^(.*?): (.*)$/s.exec(problem) ?? [];
    const field = path === 'arguments' || path === '' ? 'arguments' : `arguments.${path}`;
    (fields[field] ??= []).push(`The ${field} field ${rest}.`);
  }
  throw new InvalidFields(fields);
}
