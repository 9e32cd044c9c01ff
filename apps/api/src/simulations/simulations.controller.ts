import { type ChargedSimulation, NoTextMode, SimulationsService, SpendLimitReached } from '@app/agents';
import { knowledgeSearches, toolCallView } from '@app/calls';
import { InvalidFields, type Log, usd } from '@app/common';
import { readScenario, type Scenario, ScenarioInvalid } from '@app/sandbox';
import { LOG } from '@app/settings';
import { ProviderUnavailable } from '@app/voice';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/api-errors.js';
import { ReadsWholeBody } from '../http/body.guard.js';
import { clientDisconnected, ConcurrencyLimit, disconnectSignal } from '../http/long-requests.js';
import { AgentId, ApiAgentId } from '../http/path-params.js';
import { SCENARIO, SCENARIO_EXAMPLES, SimulatedDto } from './simulations.dto.js';

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
    summary: 'Simulate a call',
    description:
      'Runs a scenario with the agent as text, with the same instructions, tools, knowledge bases and provider as on a call. ' +
      'Returns after the end of the scenario, whether it passed or not. No phone rings, no call is stored and transfers are not dialled. Provider costs count towards the daily spend of the account; when it is used up, the response is 422 on `scenario`. With `tools: mock`, ' +
      'the service contacts only the provider; with `live` and `record`, tool actions are executed. Silence takes no ' +
      'real time. At most 50 steps and 120 s.',
  })
  @ApiBody({ schema: { $ref: `#/components/schemas/${SCENARIO}` }, examples: SCENARIO_EXAMPLES })
  @ApiResponse({ status: 200, type: SimulatedDto, description: 'The result of the simulation.' })
  @ApiErrors(400, 404, 413, 415, 422, 429)
  async simulate(
    @AccountId() accountId: number,
    @AgentId() agentId: number,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SimulatedDto> {
    const disconnected = disconnectSignal(response);
    // Acquired before the scenario is read: compiling its patterns is limited as well.
    const release = this.limit.acquire(accountId, response);
    try {
      const scenario = scenarioOf(request.body);
      const result = await this.simulations.run({ accountId, agentId }, scenario, disconnected);
      if (disconnected.aborted) throw clientDisconnected();
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
