import {
  CompiledFlow,
  FlowRun,
  type FlowStep,
  MAX_CALL_HANDOFFS,
  quotedValue,
  type StepChange,
  valuesBlock,
} from '@app/flow';
import { isJsonObject } from '@app/json-schema';
import type { Clock } from '../clock.js';
import type { GuardrailJudge } from '../guardrails/guardrail.js';
import { currentStep, takenOverFrom } from '../providers/realtime-wording.js';
import type { AgentProfile } from '../providers/voice-provider.js';
import type { SessionEvent, SessionFact } from '../session-events.js';
import type { SessionOptions } from '../session-options.js';
import { KNOWLEDGE_TOOL, ToolFailed, TRANSFER_TOOL, type VoiceTool } from '../tools/tool-box.js';
import { handOverName } from './hand-over-name.js';
import type { AgentFlow, FlowSource, HandoffTarget, Inherited, NextAgent, SpeakingProviders } from './agent-flow.js';

const TICK_MS = 1_000;
/** What a conversation does for its flow. */
export interface FlowHost {
  readonly isClosing: boolean;
  write(fact: SessionFact): void;
  /** Sends the agent and tools of now to the provider. `providers`: those that take over, with the history. */
  update(providers: SpeakingProviders | undefined): Promise<void>;
  /** Another agent has taken over: sets what it knows of the conversation. */
  inherit(inherited: Inherited, note: string): void;
  /** The rules of the agent that has taken over. */
  judgeBy(judge: GuardrailJudge | undefined): void;
  /** For the model. */
  note(text: string): void;
  speak(text: string): Promise<unknown>;
  /** Runs `call_transfer`. Resolves with why it failed; undefined: the user is connected. */
  transfer(args: Record<string, unknown>): Promise<string | undefined>;
  end(): void;
  /** A change was decided that no tool result or turn of the user brings about. */
  due(): void;
}

/**
 * What follows a change. `answer`: the model speaks next (`isOwed`: also when the user has got an answer already). `greet`: with these
 * words. `none`: the session has spoken, or ends.
 */
type Followed = { type: 'answer'; isOwed: boolean } | { type: 'greet'; text: string } | { type: 'none' };

interface WantedHandoff {
  target: Pick<HandoffTarget, 'agentId' | 'context'>;
  by: 'flow' | 'model';
  reason: string;
}

/**
 * The steps of a conversation and its handoffs: decides by its FlowRun, and sets the agent and the tools of the session to those of the
 * current step. A change waits until `advance`, which the conversation calls between two responses.
 */
export class FlowSession {
  private readonly settings: SessionOptions['settings'];
  private readonly box: SessionOptions['tools'];
  private readonly source: FlowSource;
  private current: AgentFlow;
  /** The agent without its steps. */
  private agent: AgentProfile;
  private tools: readonly VoiceTool[];
  private openProviders: FlowSource['openProviders'];
  private run: FlowRun | undefined;
  private waiting: StepChange | undefined;
  private wanted: WantedHandoff | undefined;
  private style = '{}';
  /** Absent: the first step has no model and voice of its own. */
  readonly firstProviders: SpeakingProviders | undefined;
  private handoffs = 0;
  private isAdvancing = false;
  private hasOpenTurn = false;
  /** Time has decided the change: the agent goes on by itself. */
  private isTimedOut = false;
  /** Of the last flow, while an agent without one has the call. */
  private before: FlowRun['before'] = { collected: [], turn: 0, changes: 0, known: {} };
  private host: FlowHost | undefined;
  private clock: Clock | undefined;
  private enteredAt = 0;
  private cancelTick = (): void => undefined;

  /** Enters the first step; its event follows with `begin`. `settings` and `tools` are changed from here on. */
  constructor(source: FlowSource, { settings, tools }: Pick<SessionOptions, 'settings' | 'tools'>) {
    this.source = source;
    this.settings = settings;
    this.box = tools;
    this.current = source.flow;
    this.openProviders = source.openProviders;
    this.agent = settings.agent;
    this.tools = tools.all();
    this.waiting = this.startRun('start');
    const first = this.waiting && source.flow.flow?.steps.find(({ name }) => name === this.waiting?.to);
    // The first connection already has the first step, unless that does something else than talk.
    if (this.waiting && first && !first.action && !first.handoff) {
      this.run?.enter(this.waiting);
      this.style = styleOf(first);
      const { model, voice } = first;
      if (this.style !== '{}') this.firstProviders = source.openProviders({ model, voice });
    }
    this.show();
  }

  /** The conversation begins. */
  begin(host: FlowHost, clock: Clock): void {
    this.host = host;
    this.clock = clock;
    if (this.run?.step && this.waiting) this.entered(this.waiting);
    if (this.run?.step) this.waiting = undefined;
  }

  close(): void {
    this.cancelTick();
  }

  /** A change waits for `advance`. */
  get isDue(): boolean {
    return !this.isAdvancing && (this.waiting !== undefined || this.wanted !== undefined);
  }

  /** A change is being carried out: nothing else may be said. */
  get isChanging(): boolean {
    return this.isAdvancing;
  }

  /** The change that waits needs no words of the session: the answer to a turn of the user may follow it. */
  get isPlain(): boolean {
    const step = this.waiting && this.stepOf(this.waiting.to);
    return (
      this.wanted === undefined && step !== undefined && !step.action && !step.handoff && !this.needsProvider(step)
    );
  }

  /** Gets every event of the session. */
  noticed(event: SessionEvent): void {
    if (event.type === 'turn_started' && event.role === 'callee') this.hasOpenTurn = true;
    if ((event.type === 'tool_call' || event.type === 'tool_result') && event.assigned)
      this.assign(Object.fromEntries(event.assigned.map(({ name, value }) => [name, value])));
    const isInput = (event.type === 'turn' && event.role === 'callee') || event.type === 'dtmf_input';
    if (!isInput) return;
    if (event.type === 'dtmf_input' || this.hasOpenTurn) this.turnEnded();
  }

  /** Variables of the call that became known: those that a tool or an operator has set. The model does not see them here. */
  assign(variables: Readonly<Record<string, unknown>>): void {
    if (this.run) this.decided(this.run.assign(variables));
    else this.before = { ...this.before, known: { ...this.before.known, ...variables } };
  }

  /**
   * Carries out what was decided, to be called between two responses. The part up to the provider's update runs at once when the change
   * is plain.
   */
  async advance(): Promise<Followed> {
    const { host } = this;
    let followed: Followed = { type: 'none' };
    if (!host || this.isAdvancing) return followed;
    this.isAdvancing = true;
    try {
      while ((this.waiting ?? this.wanted) && !host.isClosing) followed = await this.change(host);
    } finally {
      this.isAdvancing = false;
    }
    return followed;
  }

  private async change(host: FlowHost): Promise<Followed> {
    const { wanted, waiting: change } = this;
    this.wanted = undefined;
    if (wanted) return this.handOver(host, wanted);
    this.waiting = undefined;
    if (!change) return { type: 'none' };
    const step = this.run?.enter(change);
    if (!step) {
      if (this.run?.isStopped)
        host.write({ type: 'error', code: 'too_many_steps', message: 'The call has changed its step too often.' });
      this.show();
      await host.update(undefined);
      return { type: 'answer', isOwed: false };
    }
    this.entered(change);
    this.show();
    if (step.handoff) {
      const { agent, context = 'full' } = step.handoff;
      this.wanted = { target: { agentId: Number(agent), context }, by: 'flow', reason: step.name };
      return { type: 'none' };
    }
    return step.action
      ? this.act(host, step.action)
      : this.settle(host, step, change.by === 'limit' || this.isTimedOut);
  }

  private async settle(host: FlowHost, step: FlowStep, isOwed: boolean): Promise<Followed> {
    this.isTimedOut = false;
    const needsProvider = this.needsProvider(step);
    this.style = styleOf(step);
    await host.update(needsProvider ? this.openProviders({ model: step.model, voice: step.voice }) : undefined);
    return { type: 'answer', isOwed };
  }

  private async act(host: FlowHost, action: NonNullable<FlowStep['action']>): Promise<Followed> {
    if ('say' in action) {
      await host.update(undefined);
      await host.speak(this.filled(action.say));
      this.waiting ??= this.run?.spoken();
      return { type: 'none' };
    }
    if ('end' in action) {
      if (action.end !== true) await host.speak(this.filled(action.end));
      host.end();
      return { type: 'none' };
    }
    const { transfer } = action;
    const isOne = transfer === true || !this.hasDestinations;
    const failure = await host.transfer(isOne ? {} : { destination: transfer });
    if (failure === undefined) return { type: 'none' };
    await host.update(undefined);
    return { type: 'answer', isOwed: true };
  }

  private async handOver(host: FlowHost, { target, by, reason }: WantedHandoff): Promise<Followed> {
    const { agentId, context } = target;
    const from = this.agent.name;
    const fromId = this.current.agentId;
    let next: NextAgent;
    try {
      if (this.handoffs >= MAX_CALL_HANDOFFS)
        throw new ToolFailed('too_many_handoffs', `A call is handed over ${MAX_CALL_HANDOFFS} times at most.`);
      next = await this.source.loadAgent(agentId, context);
    } catch (error) {
      const message = error instanceof ToolFailed ? error.message : 'The other agent could not be loaded.';
      host.write({ type: 'error', code: 'handoff_failed', message });
      host.note(`The call could not be handed over: ${message} Go on yourself.`);
      await host.update(undefined);
      return { type: 'answer', isOwed: true };
    }
    this.handoffs += 1;
    this.current = next.flow;
    this.agent = next.agent;
    this.tools = next.tools;
    this.openProviders = next.openProviders;
    host.judgeBy(next.judge);
    host.write({
      type: 'handed_over',
      from_agent_id: fromId,
      to_agent_id: agentId,
      to_agent_name: next.agent.name,
      context,
      reason,
      by,
    });
    const note = takenOverFrom(from, reason);
    const summary = next.summary === undefined ? [] : [{ role: 'system' as const, text: next.summary }];
    host.inherit(context === 'full' ? { keepsHistory: true } : { keepsHistory: false, turns: summary }, note);
    const change = this.startRun('handoff');
    const step = change && this.stepOf(change.to);
    const isTalking = step !== undefined && !step.action && !step.handoff;
    if (change && step && isTalking) {
      this.run?.enter(change);
      this.entered(change);
    } else this.waiting = change;
    this.show();
    const { model, voice } = isTalking ? step : {};
    this.style = isTalking ? styleOf(step) : '{}';
    await host.update(this.openProviders({ model, voice }));
    const { greeting } = next.agent;
    return context === 'none' && greeting !== '' ? { type: 'greet', text: greeting } : { type: 'answer', isOwed: true };
  }

  private startRun(by: 'start' | 'handoff'): StepChange | undefined {
    const { flow, variables } = this.current;
    this.before = this.run?.before ?? this.before;
    this.run = flow && new FlowRun(CompiledFlow.of(flow), variables, this.before);
    return this.run?.start(by);
  }

  private entered({ to, from, by, exit }: StepChange): void {
    this.enteredAt = this.clock?.now() ?? 0;
    this.host?.write({ type: 'step_entered', step: to, from, by, ...(exit !== undefined && { exit }) });
    this.cancelTick();
    if (this.run?.isTimed) this.tick();
  }

  private tick(): void {
    const { clock } = this;
    if (!clock) return;
    this.cancelTick = clock.after(TICK_MS, () => {
      this.decided(this.run?.elapsed((clock.now() - this.enteredAt) / 1_000));
      if (!this.waiting) return this.tick();
      this.isTimedOut = true;
      this.host?.due();
    });
  }

  private turnEnded(): void {
    this.hasOpenTurn = false;
    this.decided(this.run?.turnEnded());
  }

  private decided(change: StepChange | undefined): void {
    this.waiting ??= change;
  }

  /** The tool takes a destination only where the agent has several. */
  private get hasDestinations(): boolean {
    const { properties } = this.tools.find(({ name }) => name === TRANSFER_TOOL.name)?.parameters ?? {};
    return isJsonObject(properties) && 'destination' in properties;
  }

  private stepOf(name: string): FlowStep | undefined {
    return this.current.flow?.steps.find((step) => step.name === name);
  }

  private get values(): Record<string, unknown> {
    return this.run?.values ?? Object.fromEntries(this.before.collected.map(({ name, value }) => [name, value]));
  }

  private needsProvider(step: FlowStep): boolean {
    return styleOf(step) !== this.style;
  }

  /** Sets the agent and the tools of the session to those of the current step. */
  private show(): void {
    const { run, current, agent, settings } = this;
    const step = run?.step;
    const { values } = this;
    const parts = [
      agent.instructions,
      ...(step ? [currentStep(step.name, this.filled(step.instructions ?? ''))] : []),
      ...(Object.keys(values).length > 0 ? [valuesBlock(values)] : []),
    ];
    settings.agent = {
      ...agent,
      instructions: parts.filter((part) => part !== '').join('\n\n'),
      ...(step?.language !== undefined && { language: step.language }),
    };
    const offered = this.tools.filter(({ name }) => {
      if (step?.tools && current.ownTools.includes(name)) return step.tools.includes(name);
      return !(name === KNOWLEDGE_TOOL && step?.knowledge_base_ids?.length === 0);
    });
    this.box.replace([...offered, ...this.flowTools()]);
  }

  /** A text of the flow with the values collected so far, each as JSON. */
  private filled(text: string): string {
    const { values } = this;
    return text.replaceAll(/\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*(?:\|[^{}]*)?\}\}/g, (all, name: string) =>
      Object.hasOwn(values, name) ? quotedValue(values[name]) : all,
    );
  }

  private flowTools(): VoiceTool[] {
    const tool = this.run?.tool();
    const handoffs = this.current.handoffs.map((target) => this.handOverTool(target));
    if (!tool) return handoffs;
    return [
      { ...tool, parameters: tool.parameters, checksArguments: true, run: (args) => this.continue(args) },
      ...handoffs,
    ];
  }

  private continue(args: Record<string, unknown>): Promise<unknown> {
    // The words of the turn may still be recognised.
    if (this.hasOpenTurn) this.turnEnded();
    const continued = this.run?.continue(args);
    if (!continued) return Promise.reject(new ToolFailed('no_step', 'There is no step to continue.'));
    const { accepted, problems, missing, next } = continued;
    const [first] = accepted;
    if (first) {
      const values = Object.fromEntries(accepted.map(({ name, value }) => [name, value]));
      this.host?.write({ type: 'values_collected', step: first.step, turn: first.turn, values });
    }
    this.decided(next);
    if (problems.length > 0 && !first)
      return Promise.reject(new ToolFailed('invalid_values', 'Nothing was accepted.', problems));
    return Promise.resolve({
      accepted: accepted.map(({ name }) => name),
      ...(problems.length > 0 && { problems }),
      ...(missing.length > 0 && { missing }),
      ...(next && { next: next.to }),
    });
  }

  private handOverTool(target: HandoffTarget): VoiceTool {
    return {
      name: handOverName(target.name),
      description: `Hands the call over to ${JSON.stringify(target.name)}, who goes on with the conversation. Call it in this situation: ${target.when}`,
      parameters: {
        type: 'object',
        properties: { reason: { type: 'string', maxLength: 500, description: 'Why, in a few words.' } },
        additionalProperties: false,
      },
      run: ({ reason }) => {
        if (this.handoffs >= MAX_CALL_HANDOFFS)
          throw new ToolFailed('too_many_handoffs', `A call is handed over ${MAX_CALL_HANDOFFS} times at most.`);
        this.wanted ??= {
          target,
          by: 'model',
          reason: typeof reason === 'string' ? reason.slice(0, 500) : target.when,
        };
        return Promise.resolve({ handing_over: true });
      },
    };
  }
}

const styleOf = ({ model, voice }: FlowStep): string => JSON.stringify({ model, voice });
