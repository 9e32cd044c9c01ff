import { DailySpendService, spendProblem, costOf, type PriceBook, readPriceBook } from '@app/calls';
import { type AgentOfAccount, type Env, FairSemaphore, type Log, NotFound } from '@app/common';
import { TextModelsService } from '@app/agents';
import type { Channel, Scenario } from '@app/agents/scenarios';
import type { PlayOptions, SimulationResult } from './scenario/simulation.js';
import { ENV, LOG } from '@app/common/settings';
import { totalUsage } from '@app/voice';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { availableParallelism } from 'node:os';
import { SimulatedAgentsService } from './simulated-agents.service.js';
import { ModelPersona } from './test-calls/model-persona.js';
import { judgeByModel, type RubricAnswer } from './test-calls/rubric-judge.js';

/** The account's daily spend is used up; the message is a sentence for the person who asked. */
export class SpendLimitReached extends Error {}

/** The scenario needs a channel that this process does not have. The message is a sentence for the person who asked. */
export class ChannelUnavailable extends Error {}

export interface ChargedSimulation extends SimulationResult {
  /** The judge's answers to its rubric; null: no rubric, or the model could not be used (`error`). */
  rubric: RubricAnswer[] | null;
  /** Cost of all usage by the price book, models of persona and judge included, in micro-USD. */
  costMicros: number;
}

/** How to play a scenario. */
export interface SimulationOptions {
  signal?: AbortSignal;
  /** Columns of the agent that replace the current ones. */
  settings?: Record<string, unknown>;
  /** From 0: each conversation of a repeated scenario makes other choices. */
  repetition?: number;
}

/** An agent of the account; without its id, the target of the scenario, which the account tests. */
export type TestedAgent = AgentOfAccount | { accountId: number };

/** Prepares one conversation of a scenario in a channel. @throws ChannelUnavailable, NotFound, InvalidFields */
type PlayChannel = (
  agent: TestedAgent,
  scenario: Scenario,
  repetition: number,
) => Promise<(options: PlayOptions) => Promise<SimulationResult>>;

const SPOKEN_PER_PROCESSOR = 2;

const loadSandbox = () => import('./sandbox.js');

/** Runs simulated conversations with the agents of accounts. */
@Injectable()
export class SimulationsService implements OnModuleDestroy {
  private readonly closing = new AbortController();
  /** Conversations in speech run in real time: too many would make the audio of all stutter. */
  private readonly spoken = new FairSemaphore<number>(SPOKEN_PER_PROCESSOR * availableParallelism());
  private readonly channels = new Map<Channel, PlayChannel>();
  /** An unusable price book fails every simulation until the process is restarted. */
  private prices: Promise<PriceBook> | undefined;

  constructor(
    private readonly agents: SimulatedAgentsService,
    private readonly spend: DailySpendService,
    private readonly models: TextModelsService,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Plays a scenario once. The cost counts towards the account's daily spend, also when the simulation is aborted; a used-up daily spend
   * refuses it. Concurrent simulations may exceed the limit together.
   * @throws NotFound, InvalidFields (`knowledge_base_ids`), NoTextMode, ChannelUnavailable, ProviderUnavailable, SpendLimitReached, UnusableSetting
   */
  async run(agent: TestedAgent, scenario: Scenario, options: SimulationOptions = {}): Promise<ChargedSimulation> {
    const { signal, settings, repetition = 0 } = options;
    const [play, spend, prices] = await Promise.all([
      this.player(agent, scenario, { settings, repetition }),
      this.spend.read(agent.accountId),
      (this.prices ??= readPriceBook(this.env.PRICE_BOOK)),
    ]);
    if (!spend) throw new NotFound('Agent');
    const problem = spendProblem(spend);
    if (problem) throw new SpendLimitReached(problem);
    const aborted = AbortSignal.any([...(signal ? [signal] : []), this.closing.signal]);
    const persona = this.modelPersona(scenario, aborted);
    const release = scenario.channel === 'text' ? undefined : await this.spoken.acquire(agent.accountId, aborted);
    const played = await play({ signal: aborted, repetition, persona }).finally(() => release?.());
    const result = await this.judged(scenario, played, aborted);
    const usage = totalUsage([...result.usage, ...(persona?.usage ?? [])]);
    const { cost_micros: costMicros } = costOf(usage, prices);
    await this.spend.add(agent.accountId, costMicros);
    // A call over SIP is billed as every call.
    return { ...result, usage, costMicros: costMicros + (result.call?.cost_micros ?? 0) };
  }

  /** Plays scenarios with this channel from now on. */
  addChannel(channel: Channel, play: PlayChannel): void {
    this.channels.set(channel, play);
  }

  private async player(
    agent: TestedAgent,
    scenario: Scenario,
    { settings, repetition }: Required<Pick<SimulationOptions, 'repetition'>> & Pick<SimulationOptions, 'settings'>,
  ): Promise<(options: PlayOptions) => Promise<SimulationResult>> {
    const { channel } = scenario;
    if (channel === 'sip') {
      const play = this.channels.get(channel);
      if (!play) throw new ChannelUnavailable(`Scenarios with the channel ${channel} cannot be played here.`);
      if (settings) throw new ChannelUnavailable('Settings that are not stored cannot be tested in a call.');
      return play(agent, scenario, repetition);
    }
    if (!('agentId' in agent)) throw new NotFound('Agent');
    const { simulate, simulateAudio } = await loadSandbox();
    if (channel === 'text') {
      const loaded = await this.agents.load(agent, scenario, settings);
      return (options) => simulate(loaded, scenario, this.log, options);
    }
    const loaded = await this.agents.loadSpeaking(agent, scenario, settings);
    return (options) => simulateAudio(loaded, scenario, this.log, options);
  }

  private modelPersona({ persona }: Scenario, signal: AbortSignal): ModelPersona | undefined {
    return persona && 'prompt' in persona ? new ModelPersona(this.models, persona, signal) : undefined;
  }

  /** The result with the judge's answers to its rubric. A conversation that was not completed is not judged. */
  private async judged(
    { judge }: Scenario,
    played: SimulationResult,
    signal: AbortSignal,
  ): Promise<SimulationResult & Pick<ChargedSimulation, 'rubric'>> {
    if (!judge?.rubric || played.error !== null) return { ...played, rubric: null };
    const { answers, usage, error } = await judgeByModel(this.models, judge, played, signal);
    const passed = played.passed && error === null && answers.every((one) => one.passed);
    return { ...played, passed, error, usage: [...played.usage, ...usage], rubric: error === null ? answers : null };
  }

  /** Aborts the running simulations. */
  onModuleDestroy(): void {
    this.closing.abort();
  }
}
