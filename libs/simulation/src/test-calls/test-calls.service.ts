import { NumbersService } from '@app/accounts';
import { type AgentOfAccount, type Env, type Log, newId } from '@app/common';
import type { DialledAgent, TestedCall } from '../tester/tested-call.js';
import type { PlayOptions, SimulationResult } from '../scenario/simulation.js';
import type { Scenario } from '@app/agents/scenarios';
import { ENV, LOG } from '@app/common/settings';
import { ToolsService } from '@app/tools';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ChannelUnavailable, SimulationsService, type TestedAgent } from '../simulations.service.js';
import { OutsideCallsService } from './outside-calls.service.js';
import { TestedCallsService } from './tested-calls.service.js';

const MAX_NUMBERS = 100;

/** Plays scenarios with the channel `sip`: tester callers with a real SIP phone call the running service or another agent, or are called. */
@Injectable()
export class TestCallsService implements OnModuleInit {
  constructor(
    private readonly simulations: SimulationsService,
    private readonly tested: TestedCallsService,
    private readonly outside: OutsideCallsService,
    private readonly numbers: NumbersService,
    private readonly tools: ToolsService,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.simulations.addChannel('sip', (agent, scenario, repetition) => this.prepare(agent, scenario, repetition));
  }

  private async prepare(
    agent: TestedAgent,
    scenario: Scenario,
    repetition: number,
  ): Promise<(options: PlayOptions) => Promise<SimulationResult>> {
    const tested =
      'agentId' in agent ? await this.own(agent, scenario) : await this.outside.open(agent.accountId, scenario);
    const { callerVoice, playScenario, seedOf, SipLine } = await import('../sandbox.js');
    const { profile, transcriber } = scenario;
    const voice = await callerVoice(profile, transcriber?.language);
    const line = new SipLine(tested, {
      profile,
      voice,
      seed: seedOf(scenario, repetition),
      bind: this.env.TESTER_BIND,
      callerNumber: newCallerNumber(),
      log: {
        debug: (message, fields) => this.log.debug(fields, message),
        warn: (message, fields) => this.log.warn(fields, message),
      },
    });
    return (options) => playScenario(scenario, line, options);
  }

  private async own(agent: AgentOfAccount, scenario: Scenario): Promise<TestedCall> {
    await this.requireLiveTools(agent, scenario);
    return this.tested.open(agent, scenario, scenario.direction === 'inbound' ? await this.dials(agent) : undefined);
  }

  /** A call runs the tools of its agent: it must not happen by an omission. */
  private async requireLiveTools(agent: AgentOfAccount, { tools, mocks }: Scenario): Promise<void> {
    if (Object.keys(mocks).length > 0)
      throw new ChannelUnavailable(
        'A call over SIP runs the tools of the agent: `mocks` apply to text and audio only.',
      );
    if (tools !== 'live' && (await this.tools.ofAgent(agent)).length > 0)
      throw new ChannelUnavailable('A call over SIP runs the tools of the agent: the scenario needs `tools: live`.');
  }

  /** The first active number of the agent. */
  private async dials({ accountId, agentId }: AgentOfAccount): Promise<DialledAgent> {
    const { numbers } = await this.numbers.list(accountId, { page: 1, perPage: MAX_NUMBERS });
    const found = numbers.find(({ active, agent_id: id }) => active && id === agentId);
    if (!found)
      throw new ChannelUnavailable(
        'No active number leads to the agent, so no phone reaches it: give it one, or set `direction: outbound`.',
      );
    const [, host, digits] = /^(.+):(\d+)$/.exec(this.env.TESTER_TARGET ?? `127.0.0.1:${this.env.SIP_PORT}`) ?? [];
    const port = Number(digits);
    if (host === undefined || port === 0)
      throw new ChannelUnavailable(
        'The SIP address of the service is unknown here: set TESTER_TARGET to its host:port.',
      );
    const { e164: number } = found;
    const remedy = `: ${number} must be an active number of the agent, and a trunk of the account must admit calls from ${this.env.TESTER_BIND}`;
    return {
      requestUri: `sip:${number}@${host}:${port}`,
      nextHops: [{ host, port, transport: 'udp' }],
      unanswered: (result) =>
        result.kind === 'rejected'
          ? `The service refused the call with SIP status ${result.status}${result.status === 404 || result.status === 403 ? remedy : ''}.`
          : `The service did not answer the call at ${host}:${port} (${result.kind}).`,
    };
  }
}

/** No country has the code 999: the caller of a test has a number that is never assigned. */
const newCallerNumber = (): string => `+999${BigInt(`0x${newId().replaceAll('-', '')}`) % 10n ** 11n}`;
