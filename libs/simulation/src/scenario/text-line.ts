import { newId, type Log } from '@app/common';
import { MemoryVariables } from '@app/tools';
import {
  AgentSession,
  pause,
  type SessionEnd,
  type SessionEvent,
  type SessionOptions,
  ToolBox,
  type VoiceTool,
} from '@app/voice';
import { judgeOf } from './scenario-judge.js';
import { agentTurns } from './conversation-facts.js';
import { type RecordedMocks, simulatedTransfer, toolsOfScenario } from './mocked-tools.js';
import type { SimulatedAgent, ToolRunFacts } from './simulated-agent.js';
import { flowSource, otherTools } from './simulated-flow.js';
import { PendingWork, watchedProvider, watchedTool } from './pending-work.js';
import type { Scenario } from '@app/agents/scenarios';
import { SILENT_SPEECH, SilentLine, SkippingClock } from './silent-line.js';
import type { AgentTurnWait, TesterLine } from './tester-line.js';

/** The session checks its timers (a filler, for example) this often while work is pending. */
const TICK_MS = 100;
/** Chained promises have settled after this many turns of the event loop. */
const CALM_ROUNDS = 2;

/** A conversation in text: no audio, and silence takes no real time. */
export class TextLine implements TesterLine {
  readonly events: SessionEvent[] = [];
  readonly recorded: RecordedMocks = {};
  end: SessionEnd | undefined;
  problem: string | undefined;
  private readonly clock = new SkippingClock();
  private readonly line = new SilentLine();
  private readonly work = new PendingWork();
  /** Mocked tools that wait; the clock skips their time. */
  private readonly waits = new PendingWork();
  private readonly session: AgentSession;
  /** Facts of tools that ran as on a call: their actions decide about success. */
  private readonly runs = new Map<string, ToolRunFacts>();
  /** Time of the answer, by the clock. */
  private startedAt = 0;
  private over: Promise<unknown> = Promise.resolve();

  constructor(
    agent: SimulatedAgent,
    scenario: Pick<Scenario, 'tools' | 'mocks' | 'direction' | 'metadata' | 'variables'>,
    log: Pick<Log, 'info' | 'warn' | 'error'>,
  ) {
    const { clock, work, recorded } = this;
    const secure = new Map<string, string>();
    const variables = new MemoryVariables(scenario.variables);
    const toolsOf = (one: SimulatedAgent): VoiceTool[] =>
      toolsOfScenario(
        scenario,
        {
          own: one.tools((id, facts) => void this.runs.set(id, facts), { secure, variables }),
          others: otherTools(one, simulatedTransfer),
        },
        {
          wait: (ms, signal) => this.waits.during(pause(clock, ms, signal)),
          really: (tool) => watchedTool(tool, work),
          recorded,
        },
      );
    const flow = flowSource(agent, {
      events: this.events,
      toolsOf,
      watched: (one) => watchedProvider(one, work),
      during: (loading) => work.during(loading),
    });
    const talking: SessionOptions = {
      provider: watchedProvider(agent.provider, work),
      fallbacks: agent.fallbacks?.map((one) => watchedProvider(one, work)),
      settings: { ...agent.settings, modality: 'text', answeringMachine: undefined },
      call: { callId: newId(), direction: scenario.direction, to: '', from: '', metadata: scenario.metadata },
      tools: new ToolBox(toolsOf(agent), agent.checkArguments),
      speech: SILENT_SPEECH,
      ...judgeOf(agent, (verdict) => work.during(verdict)),
      onEvent: (event) => {
        agent.heard?.(event);
        if (event.type === 'values_collected') variables.set(event.values);
        this.events.push(event.type === 'tool_call' ? { ...event, ...this.runs.get(event.tool_call_id) } : event);
      },
      onSecret: (name, digits) => void secure.set(name, digits),
      log,
      clock,
    };
    this.session = new AgentSession(talking, flow);
  }

  nowMs(): number {
    return this.clock.now() - this.startedAt;
  }

  connect(): Promise<void> {
    this.startedAt = this.clock.now();
    this.over = this.session.start(this.line).then((end) => (this.end = end));
    return Promise.resolve();
  }

  say(text: string): Promise<void> {
    this.session.hearText(text);
    return Promise.resolve();
  }

  press(keys: string): Promise<void> {
    for (const key of keys) this.line.press(key);
    return Promise.resolve();
  }

  silence(ms: number): Promise<void> {
    return this.letTimePass(ms, () => false);
  }

  async agentTurn({ from, patienceMs, isEnough }: AgentTurnWait): Promise<void> {
    let known = '';
    const isInterrupted = (): boolean => {
      const words = wordsSince(this.events, from);
      if (!isEnough || words === known) return false;
      known = words;
      return isEnough(words);
    };
    await this.letTimePass(patienceMs, () => wordsSince(this.events, from) !== '', isInterrupted);
  }

  async hangUp(): Promise<void> {
    this.session.stop('user_hangup');
    await this.over;
    this.clock.close();
  }

  stop(why: string): void {
    this.problem ??= why;
    this.session.stop('drained');
  }

  /** Waits in the time of the conversation; pending work is never cut short, unless the caller interrupts. */
  private async letTimePass(ms: number, isEnough: () => boolean, isInterrupted = () => false): Promise<void> {
    const until = this.clock.now() + ms;
    for (;;) {
      if (await this.settle(isInterrupted)) return;
      if (this.isOver || (this.waits.isNone && isEnough())) return;
      this.line.tick();
      if (this.work.isNone && !this.clock.skip(until)) return;
    }
  }

  /** Resolves when no work is pending and only time can change the state. True: the caller interrupts. */
  private async settle(isInterrupted: () => boolean): Promise<boolean> {
    for (let calm = 0; calm < CALM_ROUNDS && !this.isOver;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isInterrupted()) return true;
      calm = this.work.isNone ? calm + 1 : 0;
      if (calm > 0) continue;
      this.line.tick();
      await this.work.change(TICK_MS);
    }
    return false;
  }

  private get isOver(): boolean {
    return this.end !== undefined || this.problem !== undefined;
  }
}

/** The finished turns of the agent since an event. */
const wordsSince = (events: readonly SessionEvent[], from: number): string =>
  agentTurns(events.slice(from))
    .map(({ text }) => text)
    .join(' ');
