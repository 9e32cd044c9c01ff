import { knowledgeSearches, toolCallView } from '@app/calls';
import { InvalidFields, type Log, usd } from '@app/common';
import { type ChargedSimulation, NoTextMode, SimulationsService, SpendLimitReached } from '@app/agents';
import { readScenario, type Scenario, ScenarioInvalid } from '@app/sandbox';
import { LOG } from '@app/settings';
import { ProviderUnavailable } from '@app/voice';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ApiErrors } from '../http/api-errors.js';
import { ReadsWholeBody } from '../http/body.guard.js';
import { ConcurrencyLimit } from '../http/concurrency-limit.js';
import { clientDisconnected, disconnectSignal } from '../http/client-disconnect.js';
import { AgentId, ApiAgentId } from '../knowledge-bases/path-ids.js';
import { SCENARIO } from './scenario-schemas.js';
import { SimulatedDto } from './simulation.dto.js';
import { SCENARIO_EXAMPLES } from './simulations.examples.js';

const MOST_PER_ACCOUNT = 4;

@ApiTags('Simulations')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/simulations')
export class SimulationsController {
  private readonly limit = new ConcurrencyLimit({
    most: 16,
    mostPerAccount: MOST_PER_ACCOUNT,
    accountIsFull: `Only ${MOST_PER_ACCOUNT} simulations of an account can run at once. Wait for one to finish.`,
    processIsFull: 'Too many simulations at the moment. Try again.',
  });

  constructor(
    private readonly simulations: SimulationsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  @Post()
  @HttpCode(200)
  @ReadsWholeBody()
  @Scopes('calls:write')
  @ApiOperation({
    operationId: 'simulateCall',
    summary: 'Talk with an agent without a phone',
    description:
      'Plays a scenario with the agent as it is now, in writing: the same instructions, tools, knowledge bases and provider as on a call. ' +
      'Answers when it is over, whether it passed or not. No phone rings, no call is written, a transfer never dials. What the provider costs counts towards the daily spend of the account; when that is used up, the answer is 422 on `scenario`. With `tools: mock` ' +
      'nothing leaves the service but what the provider is told; with `live` and `record` the actions of tools are really run. Silence takes no ' +
      'time. At most 50 steps and 120 s.',
  })
  @ApiBody({ schema: { $ref: `#/components/schemas/${SCENARIO}` }, examples: SCENARIO_EXAMPLES })
  @ApiResponse({ status: 200, type: SimulatedDto, description: 'How it went.' })
  @ApiErrors(400, 404, 413, 415, 422, 429)
  async simulate(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SimulatedDto> {
    const left = disconnectSignal(response);
    // Before the scenario is read: compiling its patterns is work, too.
    const release = this.limit.acquire(accountId, response);
    try {
      const scenario = scenarioOf(request.body);
      const result = await this.simulations.run({ accountId, agentId }, scenario, left);
      if (left.aborted) throw clientDisconnected();
      return { data: viewOf(result) };
    } catch (error) {
      throw this.clientError(error, agentId);
    } finally {
      release();
    }
  }

  private clientError(error: unknown, agentId: number): unknown {
    if (error instanceof NoTextMode) return new InvalidFields({ agent_id: [error.message] });
    if (error instanceof SpendLimitReached) return new InvalidFields({ scenario: [error.message] });
    if (!(error instanceof ProviderUnavailable)) return error;
    // The operator configures providers; the client learns only that this one is unavailable.
    this.log.warn({ err: error, agent_id: agentId }, 'a simulation has no provider');
    return new InvalidFields({ agent_id: ["The agent's voice provider is not available here."] });
  }
}

function scenarioOf(body: unknown): Scenario {
  try {
    return readScenario(body ?? {});
  } catch (error) {
    if (!(error instanceof ScenarioInvalid)) throw error;
    const fields = Object.entries(error.problems).map(([place, problems]) => [
      place || 'scenario',
      problems.map((one) => sentence(place, one)),
    ]);
    throw new InvalidFields(Object.fromEntries(fields) as Record<string, string[]>);
  }
}

const sentence = (place: string, problem: string): string => `The ${place || 'scenario'} field ${problem}.`;

function viewOf(result: ChargedSimulation): SimulatedDto['data'] {
  const toolCalls = result.toolCalls.map(({ type: _type, ...call }) => call);
  return {
    name: result.name,
    passed: result.passed,
    steps: result.steps,
    transcript: result.transcript,
    tool_calls: toolCalls.map(toolCallView),
    knowledge_searches: knowledgeSearches(toolCalls) as SimulatedDto['data']['knowledge_searches'],
    usage: result.usage,
    cost: usd(result.costMicros),
    end: result.end && { ended_by: result.end.endedBy, cause: result.end.cause },
    error: result.error,
    conversation_ms: result.conversationMs,
    duration_ms: result.durationMs,
    mocks: result.recorded,
  };
}
