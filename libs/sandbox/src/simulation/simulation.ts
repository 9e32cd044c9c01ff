import { newId, type Log } from '@app/common';
import {
  AgentSession,
  BUILTIN_TOOLS,
  type CheckArguments,
  pause,
  type VoiceProvider,
  type SessionEnd,
  type SessionEvent,
  type SessionFact,
  type ToolCallFact,
  type TurnRole,
  type SessionSettings,
  ToolBox,
  type VoiceTool,
  transcriptOf,
  type TranscriptTurn,
  totalUsage,
  type UsageItem,
} from '@app/voice';
import { NOT_MOCKED, type RecordedMocks, simulatedTransfer, toolsOfScenario } from './mocked-tools.js';
import type { Scenario, ScenarioStep } from './scenario.js';
import { SILENT_SPEECH, SilentLine, SkippingClock } from './silent-line.js';
import { PendingWork, watchedProvider, watchedTool } from './pending-work.js';
import { failuresOf } from './step-outcome.js';

/** Facts of an operator's tool for the event of its call. */
interface ToolRunFacts {
  ok: boolean;
  invocation_id: string;
  actions: object[];
}

/** The agent of a scenario. */
export interface SimulatedAgent {
  provider: VoiceProvider;
  fallbacks?: readonly VoiceProvider[];
  settings: SessionSettings;
  /** The tools that an operator defined; each run reports its facts to `noteRun`. */
  tools: (noteRun: (toolCallId: string, facts: ToolRunFacts) => void) => VoiceTool[];
  /** Tools of the service beside those of the session: search of the knowledge bases. */
  others: readonly VoiceTool[];
  /** Adds the tool that transfers the call; in a simulation it never dials. */
  mayTransfer: boolean;
  /** Validates the arguments of the tools that an operator defined. */
  checkArguments?: CheckArguments;
}

interface StepResult {
  /** From 1. */
  step: number;
  name: string | null;
  passed: boolean;
  /** A sentence for each expectation that was not met. */
  failures: string[];
  /** The agent's turns. */
  said: string[];
  /** Names, in order. */
  tool_calls: string[];
  /** From the caller's input to the agent's first words; null: it said nothing. */
  spoke_after_ms: number | null;
}

/** As in the transcript of a call. */
type SimulatedTurn = Omit<TranscriptTurn, 'role'> & { role: TurnRole | 'caller' };

export interface SimulationResult {
  name: string;
  passed: boolean;
  steps: StepResult[];
  transcript: SimulatedTurn[];
  toolCalls: ToolCallFact[];
  usage: UsageItem[];
  /** The cause of the conversation's end; null: the scenario was over first. */
  end: SessionEnd | null;
  /** The reason why the scenario was not played to its end, independent of the agent; null: it was played. */
  error: string | null;
  /** Length of the conversation, at most: silence is skipped. */
  conversationMs: number;
  /** Real time. */
  durationMs: number;
  /** With `tools: record`. */
  recorded: RecordedMocks | null;
}

/** The agent's time to react, in the time of the conversation: keys are read after a pause of two seconds. */
const PATIENCE_MS = 5_000;
/** The session checks its timers (a filler, for example) this often while work is pending. */
const TICK_MS = 100;
/** Chained promises have settled after this many turns of the event loop. */
const CALM_ROUNDS = 2;

/** Plays a scenario. Never rejects because of the agent, its provider or its tools. */
export function simulate(
  agent: SimulatedAgent,
  scenario: Scenario,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
  signal?: AbortSignal,
): Promise<SimulationResult> {
  return new Simulation(agent, scenario, log).run(signal);
}

class Simulation {
  private readonly clock = new SkippingClock();
  private readonly line = new SilentLine();
  private readonly work = new PendingWork();
  /** Mocked tools that wait; the clock skips their time. */
  private readonly waits = new PendingWork();
  private readonly session: AgentSession;
  private readonly events: SessionEvent[] = [];
  private readonly recorded: RecordedMocks = {};
  /** Facts of tools that ran as on a call: their actions decide about success. */
  private readonly runs = new Map<string, ToolRunFacts>();
  private readonly beganAt = performance.now();
  /** Index of the first event after the previous step. */
  private sinceStep = 0;
  /** Time of the answer, by the clock. */
  private startedAt = 0;
  private end: SessionEnd | undefined;
  /** The reason of an early stop: the time limit, or a disconnected client. */
  private stopped: string | undefined;

  constructor(
    agent: SimulatedAgent,
    private readonly scenario: Scenario,
    log: Pick<Log, 'info' | 'warn' | 'error'>,
  ) {
    const { clock, work, recorded } = this;
    const tools = toolsOfScenario(
      scenario,
      {
        own: agent.tools((id, facts) => void this.runs.set(id, facts)),
        others: [...BUILTIN_TOOLS, ...agent.others, ...(agent.mayTransfer ? [simulatedTransfer] : [])],
      },
      {
        wait: (ms, signal) => this.waits.during(pause(clock, ms, signal)),
        really: (tool) => watchedTool(tool, work),
        recorded,
      },
    );
    this.session = new AgentSession({
      provider: watchedProvider(agent.provider, work),
      fallbacks: agent.fallbacks?.map((one) => watchedProvider(one, work)),
      settings: { ...agent.settings, modality: 'text', answeringMachine: undefined },
      call: {
        callId: newId(),
        direction: scenario.direction,
        to: '',
        from: '',
        metadata: scenario.metadata,
      },
      tools: new ToolBox(tools, agent.checkArguments),
      speech: SILENT_SPEECH,
      onEvent: (event) =>
        this.events.push(event.type === 'tool_call' ? { ...event, ...this.runs.get(event.tool_call_id) } : event),
      log,
      clock,
    });
  }

  async run(signal?: AbortSignal): Promise<SimulationResult> {
    const seconds = this.scenario.max_seconds;
    const limit = setTimeout(() => this.stop(`The simulation took longer than ${seconds} s.`), seconds * 1_000);
    const left = (): void => this.stop('The simulation was given up.');
    signal?.addEventListener('abort', left, { once: true });
    if (signal?.aborted) left();
    this.startedAt = this.clock.now();
    const over = this.session.start(this.line).then((end) => (this.end = end));
    const steps: StepResult[] = [];
    for (const [index, step] of this.scenario.steps.entries()) steps.push(await this.play(step, index));
    const end = this.end;
    this.session.stop('user_hangup');
    await over;
    clearTimeout(limit);
    signal?.removeEventListener('abort', left);
    this.clock.close();
    return this.resultOf(steps, end);
  }

  private async play(step: ScenarioStep, index: number): Promise<StepResult> {
    const isInput = step.says !== undefined || step.keys !== undefined || step.silence !== undefined;
    if (index === 0 || !isInput) await this.letAgentAct(() => this.agentSpoke(this.sinceStep));
    const wasOver = this.end;
    const from = isInput ? this.events.length : this.sinceStep;
    const beganAt = this.clock.now();
    if (isInput && !wasOver && !this.stopped) await this.give(step, from);
    const facts = this.events.slice(from);
    this.sinceStep = this.events.length;
    return this.judged(step, index, facts, { beganAt, wasOver: isInput ? wasOver : undefined });
  }

  private async give({ says, keys, silence }: ScenarioStep, from: number): Promise<void> {
    if (silence !== undefined) return this.letTimePass(silence * 1_000, () => false);
    if (says !== undefined) this.session.hearText(says);
    for (const key of keys ?? '') this.line.press(key);
    await this.letAgentAct(() => this.agentSpoke(from));
  }

  private letAgentAct(hasActed: () => boolean): Promise<void> {
    return this.letTimePass(PATIENCE_MS, hasActed);
  }

  /** Waits in the time of the conversation; pending work is never cut short. */
  private async letTimePass(ms: number, isEnough: () => boolean): Promise<void> {
    const until = this.clock.now() + ms;
    for (;;) {
      await this.settle();
      if (this.isOver || (this.waits.isNone && isEnough())) return;
      this.line.tick();
      if (this.work.isNone && !this.clock.skip(until)) return;
    }
  }

  /** Resolves when no work is pending and only time can change the state. */
  private async settle(): Promise<void> {
    for (let calm = 0; calm < CALM_ROUNDS && !this.isOver;) {
      await new Promise((resolve) => setImmediate(resolve));
      calm = this.work.isNone ? calm + 1 : 0;
      if (calm > 0) continue;
      this.line.tick();
      await this.work.change(TICK_MS);
    }
  }

  private get isOver(): boolean {
    return this.end !== undefined || this.stopped !== undefined;
  }

  private agentSpoke(from: number): boolean {
    return turnsIn(this.events.slice(from)).length > 0;
  }

  private stop(why: string): void {
    this.stopped ??= why;
    this.session.stop('drained');
  }

  private judged(
    step: ScenarioStep,
    index: number,
    facts: SessionEvent[],
    { beganAt, wasOver }: { beganAt: number; wasOver: SessionEnd | undefined },
  ): StepResult {
    const turns = turnsIn(facts);
    const said = turns.map(({ text }) => text);
    const toolCalls = ofType(facts, 'tool_call');
    const beganMs = beganAt - this.startedAt;
    const spokeAfterMs = turns[0] && Math.max(0, Math.round(turns[0].at_ms - beganMs));
    const failures = this.stopped
      ? [this.stopped]
      : wasOver
        ? [`The conversation was over before this step: ${wasOver.cause}.`]
        : [...failuresOf(step, { said, toolCalls, spokeAfterMs, end: this.end }), ...unmocked(toolCalls)];
    return {
      step: index + 1,
      name: step.name ?? null,
      passed: failures.length === 0,
      failures,
      said,
      tool_calls: toolCalls.map(({ name }) => name),
      spoke_after_ms: spokeAfterMs ?? null,
    };
  }

  private resultOf(steps: StepResult[], end: SessionEnd | undefined): SimulationResult {
    const error = this.stopped ?? this.providerError(end);
    return {
      name: this.scenario.name,
      passed: error === undefined && steps.every(({ passed }) => passed),
      steps,
      transcript: transcriptOf(this.events).map((turn) => ({ ...turn, role: this.nameOf(turn.role) })),
      toolCalls: ofType(this.events, 'tool_call'),
      usage: totalUsage(ofType(this.events, 'usage').map(({ type: _type, at_ms: _at, ...item }) => item)),
      end: end ?? null,
      error: error ?? null,
      conversationMs: this.events.at(-1)?.at_ms ?? 0,
      durationMs: Math.round(performance.now() - this.beganAt),
      recorded: this.scenario.tools === 'record' ? this.recorded : null,
    };
  }

  /** The session calls the remote party `callee`; in an inbound call it is the caller. */
  private nameOf(role: TurnRole): SimulatedTurn['role'] {
    return role === 'callee' && this.scenario.direction === 'inbound' ? 'caller' : role;
  }

  /** A scenario may expect that; otherwise it does not concern the agent. */
  private providerError(end: SessionEnd | undefined): string | undefined {
    if (end?.cause !== 'agent_provider_error') return undefined;
    const isWanted = this.scenario.steps.some(
      ({ ends }) => ends === true || (Array.isArray(ends) && ends.includes(end.cause)),
    );
    return isWanted ? undefined : 'The voice provider could not be used.';
  }
}

/** Other expectations are meaningless after it. */
const unmocked = (calls: readonly ToolCallFact[]): string[] =>
  calls.flatMap(({ result }) => {
    const { error } = (result ?? {}) as { error?: { code?: unknown; message?: unknown } };
    return error?.code === NOT_MOCKED ? [String(error.message)] : [];
  });

const ofType = <T extends SessionFact['type']>(
  events: readonly SessionEvent[],
  type: T,
): Extract<SessionEvent, { type: T }>[] =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);

const turnsIn = (events: readonly SessionEvent[]) => ofType(events, 'turn').filter(({ role }) => role === 'agent');
