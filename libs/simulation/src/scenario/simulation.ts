import type { Log } from '@app/common';
import {
  type SessionEnd,
  type SessionEvent,
  type ToolCallFact,
  type TurnRole,
  transcriptOf,
  type TranscriptTurn,
  totalUsage,
  type UsageItem,
} from '@app/voice';
import { agentTurns, flowOf, ofType } from './conversation-facts.js';
import { type CheckResult, judgeByRules } from './judge.js';
import { NOT_MOCKED, type RecordedMocks } from './mocked-tools.js';
import { type Persona, ScriptedPersona } from './persona.js';
import type { Scenario, ScenarioStep } from '@app/agents/scenarios';
import { failuresOf, forbiddenRules, missingRules } from './step-outcome.js';
import type { HeardLine } from '../tester/call-audio.js';
import type { AgentTurnWait, SipFacts, TestCallFacts, TesterLine } from './tester-line.js';
import { TextLine } from './text-line.js';
import type { SimulatedAgent } from './simulated-agent.js';

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
  /** The persona, and the rules of the judge. */
  checks: CheckResult[];
  transcript: SimulatedTurn[];
  /** Inputs of keys, which are not in the transcript. */
  keys: { at_ms: number; digits: string }[];
  toolCalls: ToolCallFact[];
  /** Names of the steps that a flow entered. */
  path: string[];
  /** What a flow collected, by name. */
  values: Record<string, unknown>;
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
  /** What the caller's phone heard; null in text. */
  audio: HeardLine | null;
  /** The record of a call over SIP; null: none. */
  call: TestCallFacts | null;
  /** The signalling of a call that the tester placed; null: none. */
  sip: SipFacts | null;
}

/** The agent's time to react, in the time of the conversation: keys are read after a pause of two seconds. */
const PATIENCE_MS = 5_000;

/** What a conversation needs beside its scenario. */
export interface PlayOptions {
  signal?: AbortSignal;
  /** From 0. */
  repetition?: number;
  /** Plays the caller of a scenario whose persona is a model. */
  persona?: Persona;
}

/** Plays a scenario in text. Never rejects because of the agent, its provider or its tools. */
export async function simulate(
  agent: SimulatedAgent,
  scenario: Scenario,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
  options: PlayOptions = {},
): Promise<SimulationResult> {
  const line = new TextLine(agent, scenario, log);
  const result = await playScenario(scenario, line, options);
  return { ...result, recorded: scenario.tools === 'record' ? line.recorded : null };
}

/** Plays a scenario over a line: its steps, then its persona. */
export function playScenario(
  scenario: Scenario,
  line: TesterLine,
  { signal, repetition = 0, persona }: PlayOptions = {},
): Promise<SimulationResult> {
  const rules = scenario.persona && 'rules' in scenario.persona ? scenario.persona : undefined;
  const caller = persona ?? (rules && new ScriptedPersona(rules, repetition));
  return new ScenarioPlayer(scenario, line, caller).run(signal);
}

class ScenarioPlayer {
  private readonly beganAt = performance.now();
  /** Index of the first event after the previous step. */
  private sinceStep = 0;
  /** Index of the first event of the previous step: the persona hears its words. */
  private lastStep = 0;

  constructor(
    private readonly scenario: Scenario,
    private readonly line: TesterLine,
    private readonly persona: Persona | undefined,
  ) {}

  async run(signal?: AbortSignal): Promise<SimulationResult> {
    const { line } = this;
    const seconds = this.scenario.max_seconds;
    const left = (): void => line.stop('The simulation was given up.');
    signal?.addEventListener('abort', left, { once: true });
    const steps: StepResult[] = [];
    let limit: NodeJS.Timeout | undefined;
    let end: SessionEnd | undefined;
    try {
      await line.connect();
      // The line itself limits the wait for a free line and for the answer, which is not the conversation.
      limit = setTimeout(() => line.stop(`The simulation took longer than ${seconds} s.`), seconds * 1_000);
      if (signal?.aborted) left();
      for (const [index, step] of this.scenario.steps.entries()) steps.push(await this.play(step, index));
      if (this.persona) await this.converse(this.persona);
      end = line.end;
    } finally {
      await line.hangUp();
      clearTimeout(limit);
      signal?.removeEventListener('abort', left);
    }
    return this.resultOf(steps, end);
  }

  private async play(step: ScenarioStep, index: number): Promise<StepResult> {
    const { line } = this;
    const isInput = step.says !== undefined || step.keys !== undefined || step.silence !== undefined;
    if (index === 0 || !isInput)
      await line.agentTurn(this.waitFor(isInput ? { interrupt_after_ms: undefined } : step, this.sinceStep));
    const wasOver = line.end;
    const from = isInput ? line.events.length : this.sinceStep;
    const beganMs = isInput && !wasOver && !line.problem ? await this.give(step, from) : line.nowMs();
    const facts = line.events.slice(from);
    this.lastStep = from;
    this.sinceStep = line.events.length;
    return this.judged(step, index, facts, { beganMs, wasOver: isInput ? wasOver : undefined });
  }

  /** Returns the time of the caller's last word or key. */
  private async give(step: ScenarioStep, from: number): Promise<number> {
    const { line } = this;
    const { says, keys, silence } = step;
    const beganMs = line.nowMs();
    if (silence !== undefined) {
      await line.silence(silence * 1_000);
      return beganMs;
    }
    if (says !== undefined) await line.say(says);
    if (keys !== undefined) await line.press(keys);
    const givenMs = line.nowMs();
    await line.agentTurn(this.waitFor(step, from));
    return givenMs;
  }

  private waitFor(step: Partial<ScenarioStep>, from: number): AgentTurnWait {
    const isComplete = (): boolean => {
      const facts = this.line.events.slice(from);
      const reaction = {
        said: textsOf(facts),
        toolCalls: ofType(facts, 'tool_call'),
        guardrails: rulesOf(facts),
        spokeAfterMs: 0,
      };
      return failuresOf({ ...step, within_ms: undefined }, { ...reaction, end: this.line.end }).length === 0;
    };
    return { from, patienceMs: PATIENCE_MS, isComplete, speechMs: step.interrupt_after_ms };
  }

  /** Hears and answers until one party hangs up, or the caller has used up its turns. */
  private async converse(persona: Persona): Promise<void> {
    const { line } = this;
    let from = this.lastStep;
    for (let turn = 0; turn < persona.maxTurns; turn++) {
      await line.agentTurn({
        from,
        patienceMs: persona.patienceMs,
        isEnough: (words) => persona.interruptsAt(words),
        isComplete: () => persona.knows?.(textsOf(line.events.slice(from)).join(' ')) ?? true,
      });
      if (line.end || line.problem) return;
      const words = textsOf(line.events.slice(from)).join(' ');
      from = line.events.length;
      const { say, keys, silenceMs, hangsUp, problem } = await persona.next(words, line.events);
      if (problem !== undefined) return line.stop(problem);
      if (say !== undefined) await line.say(say);
      if (keys !== undefined) await line.press(keys);
      if (silenceMs !== undefined) await line.silence(silenceMs);
      if (!hangsUp) continue;
      if (say !== undefined || keys !== undefined) await line.agentTurn({ from, patienceMs: PATIENCE_MS });
      return;
    }
    await line.agentTurn({ from, patienceMs: persona.patienceMs });
  }

  private judged(
    step: ScenarioStep,
    index: number,
    facts: SessionEvent[],
    { beganMs, wasOver }: { beganMs: number; wasOver: SessionEnd | undefined },
  ): StepResult {
    const { problem, end } = this.line;
    const [firstTurn] = agentTurns(facts);
    const said = textsOf(facts);
    const toolCalls = ofType(facts, 'tool_call');
    const spokeAfterMs = firstTurn && Math.max(0, Math.round(firstTurn.started_ms - beganMs));
    const failures = problem
      ? [problem]
      : wasOver
        ? [`The conversation was over before this step: ${wasOver.cause}.`]
        : [
            ...failuresOf(step, { said, toolCalls, guardrails: rulesOf(facts), spokeAfterMs, end }),
            ...unmocked(toolCalls),
          ];
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
    const { events, problem } = this.line;
    const error = problem ?? this.providerError(end);
    const conversationMs = events.at(-1)?.at_ms ?? 0;
    const checks = error === undefined ? this.checks(end, conversationMs) : [];
    const { path, values } = flowOf(events);
    return {
      name: this.scenario.name,
      passed: error === undefined && [...steps, ...checks].every(({ passed }) => passed),
      steps,
      checks,
      transcript: transcriptOf([...events]).map((turn) => ({ ...turn, role: this.nameOf(turn.role) })),
      keys: ofType(events, 'dtmf_input').map(({ at_ms, digits }) => ({ at_ms, digits })),
      toolCalls: ofType(events, 'tool_call'),
      path,
      values: Object.fromEntries(values),
      usage: totalUsage(ofType(events, 'usage').map(({ type: _type, at_ms: _at, ...item }) => item)),
      end: end ?? null,
      error: error ?? null,
      conversationMs,
      durationMs: Math.round(performance.now() - this.beganAt),
      recorded: null,
      audio: this.line.heard ?? null,
      call: this.line.call ?? null,
      sip: this.line.sip ?? null,
    };
  }

  private checks(end: SessionEnd | undefined, durationMs: number): CheckResult[] {
    const { events, heard, call } = this.line;
    const { judge } = this.scenario;
    const failures = this.persona && [
      ...this.persona.failures(events),
      ...unmocked(ofType(events.slice(this.sinceStep), 'tool_call')),
    ];
    return [
      ...(failures ? [{ name: 'persona', passed: failures.length === 0, failures }] : []),
      ...this.guardrailCheck(),
      ...(judge ? judgeByRules(judge, { events, end, durationMs, heard, call }) : []),
    ];
  }

  /** Rules that must, or must not, apply in the whole conversation. */
  private guardrailCheck(): CheckResult[] {
    const { guardrails, no_guardrails: absent } = this.scenario;
    if (guardrails === undefined && absent === undefined) return [];
    const applied = rulesOf(this.line.events);
    const failures = [...missingRules(guardrails, applied), ...forbiddenRules(absent, applied)];
    return [{ name: 'guardrails', passed: failures.length === 0, failures }];
  }

  /** The session calls the remote party `callee`; in an inbound call it is the caller. */
  private nameOf(role: TurnRole): SimulatedTurn['role'] {
    return role === 'callee' && this.scenario.direction === 'inbound' ? 'caller' : role;
  }

  /** A scenario may expect that; otherwise it does not concern the agent. */
  private providerError(end: SessionEnd | undefined): string | undefined {
    if (end?.cause !== 'agent_provider_error') return undefined;
    const { steps, judge } = this.scenario;
    const isWanted = [...steps, ...(judge ? [judge] : [])].some(
      ({ ends }) => ends === true || (Array.isArray(ends) && ends.some((one) => one === end.cause)),
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

/** The names of the rules that applied. */
const rulesOf = (events: readonly SessionEvent[]): string[] => ofType(events, 'guardrail_hit').map(({ name }) => name);

const textsOf = (events: readonly SessionEvent[]): string[] => agentTurns(events).map(({ text }) => text);
