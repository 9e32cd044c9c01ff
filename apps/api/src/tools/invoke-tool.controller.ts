import { type FieldErrors, InvalidFields } from '@app/common';
import { argumentProblems } from '@app/json-schema';
import { type AgentTool, ToolRunnerService, ToolsService } from '@app/tools';
import { Body, Controller, HttpCode, Injectable, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { clientDisconnected, ConcurrencyLimit, disconnectSignal } from '../http/server/long-requests.js';
import { AgentId, ApiAgentId, PathId } from '../http/validation/path-params.js';
import { InvokedToolDto, invokedView, InvokeToolDto } from './invoke-tool.dto.js';

const MAX_PER_ACCOUNT = 4;

/** Limits concurrent tool invocations. Each holds a connection to the client and one to an endpoint, for at most two minutes. */
@Injectable()
export class InvokeLimit extends ConcurrencyLimit {
  constructor() {
    super({
      most: 32,
      mostPerAccount: MAX_PER_ACCOUNT,
      accountIsFull: `Only ${MAX_PER_ACCOUNT} tools can be invoked at once. Wait for one to finish.`,
      processIsFull: 'Too many tools are being invoked at the moment. Try again.',
    });
  }
}

const ID = { type: 'integer', minimum: 1 } as const;

@ApiTags('Tools')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/tools/:id/invoke')
export class InvokeToolController {
  constructor(
    private readonly tools: ToolsService,
    private readonly runner: ToolRunnerService,
    private readonly limit: InvokeLimit,
  ) {}

  @Post()
  @HttpCode(200)
  @Scopes('tools:write')
  @ApiOperation({
    operationId: 'invokeTool',
    summary: 'Invoke a tool',
    description:
      'Executes the actions of a tool outside of a call, for testing: awaited requests are sent, other actions are queued for delivery. Inactive tools can be invoked as well. Returns 200 regardless of the responses of the endpoints, after the last awaited action has ended, at most after 120 s. An account can run four invocations at once.',
  })
  @ApiParam({ name: 'id', description: 'The `id` of the tool.', schema: ID })
  @ApiResponse({ status: 200, type: InvokedToolDto, description: 'The results of the actions.' })
  @ApiErrors(400, 404, 413, 415, 422)
  async invoke(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @PathId('id', 'Tool', 'tools') toolId: number,
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
    const disconnected = disconnectSignal(response);
    try {
      const run = await this.runner.run(tool, args, context, disconnected);
      if (disconnected.aborted) throw clientDisconnected();
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
