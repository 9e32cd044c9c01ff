import { AccountsModule, NumbersService } from '@app/accounts';
import { CallsModule } from '@app/calls';
import { type Env, type Log, newId } from '@app/common';
import type { PlayOptions, Scenario, SimulationResult } from '@app/sandbox';
import { ENV, LOG } from '@app/settings';
import { ToolsModule, ToolsService } from '@app/tools';
import { Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import type { AgentOfAccount } from '../simulated-agents.service.js';
import { SimulationsModule } from '../simulations.module.js';
import { ChannelUnavailable, SimulationsService } from '../simulations.service.js';
import { TestedCallsService } from './tested-calls.service.js';

const MOST_NUMBERS = 100;

/** Plays scenarios with the channel `sip`: tester callers with a real SIP phone call the running service, or are called by it. */
@Injectable()
class TestCallsService implements OnModuleInit {
  constructor(
    private readonly simulations: SimulationsService,
    private readonly tested: TestedCallsService,
    private readonly numbers: NumbersService,
    private readonly tools: ToolsService,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.simulations.addChannel('sip', (agent, scenario, repetition) => this.prepare(agent, scenario, repetition));
  }

  private async prepare(
    agent: AgentOfAccount,
    scenario: Scenario,
    repetition: number,
  ): Promise<(options: PlayOptions) => Promise<SimulationResult>> {
    await this.requireLiveTools(agent, scenario);
    const inbound = scenario.direction === 'inbound' ? await this.numberOf(agent) : undefined;
    const { callerVoice, playScenario, seedOf, SipLine } = await import('../sandbox.js');
    const { profile } = scenario;
    const voice = await callerVoice(profile);
    const line = new SipLine(this.tested.open(agent, scenario, inbound), {
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
  private async numberOf({
    accountId,
    agentId,
  }: AgentOfAccount): Promise<{ number: string; host: string; port: number }> {
    const { numbers } = await this.numbers.list(accountId, { page: 1, perPage: MOST_NUMBERS });
    const found = numbers.find(({ active, agent_id: id }) => active && id === agentId);
    if (!found)
      throw new ChannelUnavailable(
        'No active number leads to the agent, so no phone reaches it: give it one, or set `direction: outbound`.',
      );
    const [, host, port] = /^(.+):(\d+)$/.exec(this.env.TESTER_TARGET ?? `127.0.0.1:${this.env.SIP_PORT}`) ?? [];
    if (host === undefined || Number(port) === 0)
      throw new ChannelUnavailable(
        'The SIP address of the service is unknown here: set TESTER_TARGET to its host:port.',
      );
    return { number: found.e164, host, port: Number(port) };
  }
}

/** No country has the code 999: the caller of a test has a number that is never assigned. */
const newCallerNumber = (): string => `+999${BigInt(`0x${newId().replaceAll('-', '')}`) % 10n ** 11n}`;

@Module({
  imports: [AccountsModule, CallsModule, SimulationsModule, ToolsModule],
  providers: [TestedCallsService, TestCallsService],
})
export class TestCallsModule {}
