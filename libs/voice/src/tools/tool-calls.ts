import { readJson } from '@app/common';
import { type MediaPort, silentFrame } from '@app/telephony';
import type { AgentSpeech } from '../conversation/agent-speech.js';
import { type Clock, withTimeLimit } from '../clock.js';
import type { ConversationLog } from '../conversation/conversation-log.js';
import { pendingNote, resultNote, saidForYou } from '../providers/realtime-wording.js';
import type { SpeechGuard } from '../conversation/speech-guard.js';
import type { Guardrail } from '../guardrails/guardrail.js';
import type { HistoryTurn, ProviderEvent } from '../providers/voice-provider.js';
import type { SessionOptions } from '../session-options.js';
import type { Confirmations } from './confirmations.js';
import { type LateResults, RUNNING_RESULT } from './late-results.js';
import type { BegunTool, CallControl, ConversationControl, ToolOutcome } from './tool-box.js';
import type { LateResult } from './tool-facts.js';
import type { ToolSpeaker } from './tool-phrases.js';

export type ToolCall = Extract<ProviderEvent, { type: 'tool_call' }>;

interface Running extends ToolCall {
  startedMs: number;
}

/** Per conversation. Bounds a faulty model, because requests are limited per account and other calls need capacity. */
const MAX_AT_ONCE = 16;
const TOO_MANY: ToolOutcome = failed('too_many_calls', `At most ${MAX_AT_ONCE} tools run at once. Wait for results.`);
const CALL_ENDED = { error: { code: 'call_ended', message: 'The call ended before the tool did.' } };

/** Words of tools instead of an answer of the model, and whether it has something to answer beside them. */
interface ToolReply {
  words: string[];
  isModelNeeded: boolean;
}

/** The running tools of one conversation, and their record. */
export class ToolCalls {
  private readonly running = new Set<Running>();
  /** The number of results that the provider has not got, per response that has called tools and is not answered yet. */
  private readonly unanswered = new Map<string, number>();
  /** The words after failures, per response that has called the tools, and the number of its tools without such words. */
  private readonly answers = new Map<string, ToolReply>();

  constructor(
    private readonly options: Pick<SessionOptions, 'tools' | 'call' | 'guard'> & { clock: Clock },
    private readonly handover: LineHandover,
    private readonly speaker: ToolSpeaker,
    private readonly confirmations: Confirmations,
    private readonly late: LateResults,
    private readonly log: ConversationLog,
    private readonly signal: AbortSignal,
  ) {}

  get areRunning(): boolean {
    return this.running.size > 0;
  }

  /** `control`: what tools may do. Returns the result for the provider; undefined when the call ended first. */
  async run(call: ToolCall, control: CallControl & ConversationControl): Promise<string | undefined> {
    const { tools, clock } = this.options;
    const { toolCallId, name, arguments: json, responseId } = call;
    const running = { ...call, startedMs: this.log.nowMs };
    const { confirmations, speaker, signal } = this;
    const isBackground = tools.isBackground(name);
    let goOn: (outcome: ToolOutcome) => void;
    const inBackground = new Promise<ToolOutcome>((resolve) => (goOn = resolve));
    const onRun = (begun: BegunTool): void => {
      const { before, ...others } = tools.phrasesOf(name) ?? {};
      const isSilent = takesLine || tools.waitsForUser(name) || (isBackground && before === undefined);
      if (!isSilent) speaker.began(running, isBackground ? { before } : { before, ...others });
      if (!isBackground) return;
      this.late.began(call);
      goOn(runningOutcome(begun));
    };
    const context = {
      toolCallId,
      call: this.options.call,
      control,
      conversation: control,
      signal,
      confirmations,
      onRun,
    };
    const isRefused = this.running.size >= MAX_AT_ONCE || (isBackground && this.late.isFull);
    const run = () => tools.run(name, json, context, clock);
    const work = async () => {
      if (isRefused) return { ...TOO_MANY, arguments: argumentsOf(call) };
      const { guard } = this.options;
      return guard && !isByRule(call) ? ((await this.refused(call, guard)) ?? run()) : run();
    };
    const takesLine = !isRefused && tools.takesLine(name);
    this.running.add(running);
    this.unanswered.set(responseId, (this.unanswered.get(responseId) ?? 0) + 1);
    const outcome = await (takesLine
      ? this.handover.during(work, this.signal)
      : isBackground
        ? Promise.race([inBackground, this.inBackground(call, work)])
        : work());
    speaker.ended(running);
    if (!this.running.delete(running)) return undefined;
    this.record(running, outcome);
    const text = this.reply(call, outcome);
    this.log.note(resultNote(call, text));
    return text;
  }

  /** Resolves as the tool does; if the conversation has gone on until then, the outcome is a late result. */
  private async inBackground({ toolCallId }: ToolCall, work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
    const outcome = await work();
    const { ok, isPending, result, assigned } = outcome;
    if (isPending) this.late.awaitCallback(toolCallId);
    else this.late.add({ toolCallId, status: ok ? 'completed' : 'failed', result, ...(assigned && { assigned }) });
    return outcome;
  }

  /** A late result from outside of the session. False: none is waited for under its id. */
  takeLateResult(result: LateResult): boolean {
    return this.late.add(result);
  }

  /** Late results wait for a pause. */
  get haveLateResults(): boolean {
    return this.late.areWaiting;
  }

  /** In a pause: the notes for the model, and how they are answered. */
  deliverLate(): ToolReply & { notes: string[] } {
    const delivered = this.late.take();
    const words = delivered.flatMap(({ call, late }) =>
      late.status === 'failed'
        ? (this.speaker.onFailure(call.name, this.options.tools.phrasesOf(call.name)) ?? [])
        : [],
    );
    const notes = delivered.map(({ note }) => note);
    if (words.length > 0) notes.push(saidForYou(words.join(' ')));
    return { notes, words, isModelNeeded: words.length < delivered.length };
  }

  /** A rule of the agent keeps the tool from running. */
  private async refused(call: ToolCall, guard: SpeechGuard): Promise<ToolOutcome | undefined> {
    const rule = await guard.tool(call.name, call.arguments);
    if (!rule) return undefined;
    guard.act(rule);
    const isReplaced = rule.action === 'replace';
    const outcome = isReplaced ? replacedBy(rule.text ?? '') : failed('blocked_by_guardrail', refusalOf(rule));
    return { ...outcome, arguments: argumentsOf(call) };
  }

  /** The provider has got the result of a tool. */
  delivered(responseId: string): void {
    this.unanswered.set(responseId, (this.unanswered.get(responseId) ?? 1) - 1);
  }

  /** The result for the model, which learns of words that are spoken instead of its own. */
  private reply({ name, responseId }: ToolCall, { isFailure, text }: ToolOutcome): string {
    const words = isFailure ? this.speaker.onFailure(name, this.options.tools.phrasesOf(name)) : undefined;
    const reply = this.answers.get(responseId) ?? { words: [], isModelNeeded: false };
    this.answers.set(responseId, reply);
    if (words === undefined) reply.isModelNeeded = true;
    else reply.words.push(words);
    return words === undefined ? text : withWords(text, words);
  }

  /** How the tools of an answerable response are answered. */
  takeReply(responseId: string): ToolReply {
    const reply = this.answers.get(responseId) ?? { words: [], isModelNeeded: true };
    this.answers.delete(responseId);
    return reply;
  }

  /** The response has called tools that are not answered yet. */
  areCalledBy(responseId: string): boolean {
    return this.unanswered.has(responseId);
  }

  /** True once, after the provider has got the results of all tools of the response: they are answered together. */
  areAnswerable(responseId: string): boolean {
    return this.unanswered.get(responseId) === 0 && this.unanswered.delete(responseId);
  }

  /** The history for a new connection, with the running tools, which it could otherwise call again. */
  history(): HistoryTurn[] {
    const notes = [...this.running].map((call) => ({ role: 'system' as const, text: pendingNote(call) }));
    return [...this.log.historySoFar(), ...notes];
  }

  /** To be called at the end of the call: records the tools that still run. */
  callEnded(): void {
    const calls = [...this.running];
    this.running.clear();
    this.speaker.close();
    this.late.close();
    for (const call of calls) this.record(call, { ok: false, arguments: argumentsOf(call), result: CALL_ENDED });
  }

  private record(
    call: Running,
    { ok, arguments: args, result, assigned, confirmation }: Omit<ToolOutcome, 'text'>,
  ): void {
    const times = { started_ms: call.startedMs, ended_ms: this.log.nowMs };
    const { toolCallId, name } = call;
    this.log.write({
      type: 'tool_call',
      tool_call_id: toolCallId,
      name,
      arguments: args,
      result,
      ok,
      ...times,
      ...(assigned && { assigned: [...assigned] }),
      ...(confirmation && { confirmation }),
    });
  }
}

/** What the model gets of a background tool at once. */
const runningOutcome = (begun: BegunTool): ToolOutcome => ({
  ...begun,
  ok: true,
  result: RUNNING_RESULT,
  text: JSON.stringify(RUNNING_RESULT),
});

/** The result of a failed tool with the words that the agent speaks about it. */
const withWords = (text: string, words: string): string =>
  JSON.stringify({ ...objectOf(readJson(text)), spoken_to_caller: words, note: SPOKEN_NOTE });

const objectOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : { result: value });

const SPOKEN_NOTE =
  'The tool failed, and the caller hears these words now. Say nothing about it yourself; wait for the caller.';

/** Tools that a rule runs itself are not judged. */
export const BY_RULE = 'guardrail-';

const isByRule = ({ toolCallId }: ToolCall): boolean => toolCallId.startsWith(BY_RULE);

const replacedBy = (result: string): ToolOutcome => ({
  ok: false,
  arguments: undefined,
  result,
  text: JSON.stringify(result),
});

function refusalOf({ action, text }: Guardrail): string {
  if (action === 'block') return text ?? 'A rule of this agent does not allow this call. The tool was not run.';
  if (action === 'say') return `A rule of this agent does not allow this call. The caller was told: ${text}`;
  return 'A rule of this agent does not allow this call, and now ends your part of the conversation.';
}

function failed(code: string, message: string): ToolOutcome {
  const result = { error: { code, message } };
  return { ok: false, arguments: undefined, result, text: JSON.stringify(result) };
}

function argumentsOf({ arguments: json }: ToolCall): unknown {
  try {
    return readJson(json || '{}');
  } catch {
    return json;
  }
}

/** For the remaining speech; a response that stalls must not keep the tool waiting. */
const MAX_WAIT_MS = 10_000;

/** Gives the line to a tool: while it runs, the agent is silent and its provider hears silence. */
export class LineHandover {
  private count = 0;
  private claims = 0;
  private readonly silence: Buffer;
  private waiting: (() => void)[] = [];

  constructor(
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly voice: Pick<AgentSpeech, 'isPreparing'>,
  ) {
    this.silence = silentFrame(media.codec);
  }

  get isActive(): boolean {
    return this.count > 0;
  }

  /** A tool has the line, or waits for it. */
  get isClaimed(): boolean {
    return this.claims > 0;
  }

  /** The frame for the provider. */
  audible(frame: Buffer): Buffer {
    return this.isActive ? this.silence : frame;
  }

  /** Runs `work` after the agent has finished speaking. */
  async during<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.claims++;
    try {
      await this.speechPlayed(signal);
      this.count++;
      try {
        return await work();
      } finally {
        this.count--;
      }
    } finally {
      this.claims--;
    }
  }

  /** To be called when a response has ended. */
  check(): void {
    if (this.waiting.length === 0 || this.voice.isPreparing) return;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private async speechPlayed(signal: AbortSignal): Promise<void> {
    const generated = new Promise<void>((resolve) => this.waiting.push(resolve));
    this.check();
    const played = () => generated.then(() => this.media.drained(0));
    try {
      await withTimeLimit(this.clock, MAX_WAIT_MS, signal, played, () => undefined);
    } catch {
      // The call has ended; the tool's own signal aborts, too.
    }
  }
}
