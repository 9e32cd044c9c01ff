import {
  ChannelUnavailable,
  explaining,
  NoTextMode,
  type RepeatedSimulation,
  RepeatedSimulationsService,
  SpendLimitReached,
  type TestCallFacts,
} from '@app/simulation';
import { readScenario, type Scenario, ScenarioInvalid } from '@app/agents/scenarios';
import { knowledgeSearches, toolCallView } from '@app/calls';
import { InvalidFields, type Log, usd, withCode } from '@app/common';
import { LOG } from '@app/common/settings';
import { ProviderUnavailable } from '@app/voice';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ReadsWholeBody } from '../http/server/body.guard.js';
import { clientDisconnected, ConcurrencyLimit, disconnectSignal } from '../http/server/long-requests.js';
import { AgentId, ApiAgentId } from '../http/validation/path-params.js';
import { SCENARIO, SCENARIO_EXAMPLES, SimulatedDto, type SimulationCallDto } from './simulations.dto.js';

const MAX_PER_ACCOUNT = 4;
/** A client waits for the response. */
const MAX_REPETITIONS = 20;
const TOO_MANY_REPETITIONS = `The repeat field must not be more than ${MAX_REPETITIONS} here. Start a test run for more.`;

@ApiTags('Simulations')
@ApiAgentId()
@Controller('api/v1/agents/:agent_id/simulations')
export class SimulationsController {
  private readonly limit = new ConcurrencyLimit({
    most: 16,
    mostPerAccount: MAX_PER_ACCOUNT,
    accountIsFull: `Only ${MAX_PER_ACCOUNT} simulations of an account can run at once. Wait for one to finish.`,
    processIsFull: 'Too many simulations at the moment. Try again.',
  });

  constructor(
    private readonly simulations: RepeatedSimulationsService,
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
      'Runs a scenario with the agent, in text unless its `channel` is `audio` or `sip`, with the same instructions, tools, knowledge bases and provider as on a call. ' +
      'Returns after the end of the scenario, whether it passed or not. In text and audio, no phone rings, no call is stored and transfers are not dialled; `sip` is a real call of the service. Provider costs count towards the daily spend of the account; when it is used up, the response is 422 on `scenario`. With `tools: mock`, ' +
      'the service contacts only the provider; with `live` and `record`, tool actions are executed. In text, silence takes no ' +
      'real time. At most 50 steps and 120 s, with speech 600 s. With `repeat`, at most 20 conversations are played; the response has the first one that failed, otherwise the first one.',
  })
  @ApiBody({ schema: { $ref: `#/components/schemas/${SCENARIO}` }, examples: SCENARIO_EXAMPLES })
  @ApiResponse({ status: 200, type: SimulatedDto, description: 'The result of the simulation.' })
  @ApiErrors(400, 404, 413, 415, 422)
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
      if (scenario.repeat > MAX_REPETITIONS)
        throw new InvalidFields({ repeat: [withCode('out_of_range', TOO_MANY_REPETITIONS)] });
      const result = await this.simulations.run({ accountId, agentId }, scenario, { signal: disconnected });
      if (disconnected.aborted) throw clientDisconnected();
      return { data: viewOf(result) };
    } catch (error) {
      throw this.clientError(error, agentId);
    } finally {
      release();
    }
  }

  private clientError(error: unknown, agentId: number): unknown {
    if (error instanceof NoTextMode) return new InvalidFields({ agent_id: [withCode('unavailable', error.message)] });
    if (error instanceof ChannelUnavailable)
      return new InvalidFields({ channel: [withCode('unavailable', error.message)] });
    if (error instanceof SpendLimitReached)
      return new InvalidFields({ scenario: [withCode('limit_reached', error.message)] });
    if (!(error instanceof ProviderUnavailable)) return error;
    // The operator configures providers; the client learns only that this one is unavailable.
    this.log.warn({ err: error, agent_id: agentId }, 'a simulation has no provider');
    return new InvalidFields({
      agent_id: [withCode('unavailable', "The agent's voice provider is not available here.")],
    });
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

const callOf = ({ cost_micros: micros, ...call }: TestCallFacts): SimulationCallDto => ({ ...call, cost: usd(micros) });

function viewOf(repeated: RepeatedSimulation): SimulatedDto['data'] {
  const { conversations, passed, passes, requiredRate } = repeated;
  const result = explaining(repeated) as (typeof conversations)[number];
  const toolCalls = result.toolCalls.map(({ type: _type, ...call }) => call);
  return {
    name: result.name,
    passed,
    repetitions: { count: conversations.length, passed: passes, required_rate: requiredRate },
    steps: result.steps,
    checks: result.checks,
    rubric: result.rubric,
    transcript: result.transcript,
    tool_calls: toolCalls.map(toolCallView),
    path: result.path,
    values: result.values,
    knowledge_searches: knowledgeSearches(toolCalls) as SimulatedDto['data']['knowledge_searches'],
    usage: result.usage,
    cost: usd(conversations.reduce((sum, { costMicros }) => sum + costMicros, 0)),
    end: result.end && { ended_by: result.end.endedBy, cause: result.end.cause },
    error: result.error,
    conversation_ms: result.conversationMs,
    duration_ms: result.durationMs,
    mocks: result.recorded,
    audio: result.audio,
    call: result.call && callOf(result.call),
  };
}
