import type { Guardrail } from '../guardrails/guardrail.js';
import type { ProviderLink } from '../provider-link/provider-link.js';
import type { ProviderEvent } from '../providers/voice-provider.js';
import type { SessionOptions } from '../session-options.js';
import { TRANSFER_TOOL } from '../tools/tool-box.js';
import { BY_RULE, type ToolCall } from '../tools/tool-calls.js';
import type { AgentSpeech } from './agent-speech.js';
import type { ConversationLog } from './conversation-log.js';
import type { GuardMode, SpeechGuard } from './speech-guard.js';

/** What rules do on a conversation. */
export interface SpeechParts {
  voice: AgentSpeech;
  log: ConversationLog;
  link: Pick<ProviderLink, 'provider'>;
  isOver(): boolean;
  note(text: string): void;
  speak(text: string): Promise<boolean>;
  resume(event: ProviderEvent): void;
  answer(): void;
  end(): void;
  /** Resolves with the result for the model when nobody takes the call. */
  transfer(call: ToolCall): Promise<string | undefined>;
}

/** Carries out what the rules of the agent decide. */
export class GuardedSpeech {
  /** The next answer of the provider is one to words that are not answered. */
  private isAnswerRefused = false;
  /** Transfers and ends that are under way. */
  private acting = 0;
  private transfers = 0;
  private hits = 0;
  /** Spoken after the answer of the agent. */
  private afterAnswer: string[] = [];

  constructor(
    private readonly guard: SpeechGuard,
    private readonly options: Pick<SessionOptions, 'settings'>,
    private readonly parts: SpeechParts,
  ) {
    guard.attach({
      hit: (rule, words) => this.hit(rule, words),
      cut: (mode) => this.cut(mode),
      act: (rule) => this.act(rule),
      resume: (event) => this.resume(event),
    });
  }

  /** The agent must not speak by itself. */
  get isHoldingBack(): boolean {
    return this.isAnswerRefused || this.isActing;
  }

  /** The call is about to be transferred or to end. */
  get isActing(): boolean {
    return this.acting > 0;
  }

  /** Returns whether the event goes on now. */
  passes(event: ProviderEvent): boolean {
    const passes = this.guard.passes(event);
    if (passes && event.type === 'response_done') queueMicrotask(() => this.sayAfterAnswer());
    return passes;
  }

  /** A held event goes on. */
  private resume(event: ProviderEvent): void {
    this.parts.resume(event);
    if (event.type === 'response_done') queueMicrotask(() => this.sayAfterAnswer());
  }

  responseStarted(responseId: string, isPlayed: boolean): void {
    if (!isPlayed) this.isAnswerRefused = false;
    else if (!this.parts.voice.isGiven(responseId)) this.guard.started(responseId, this.mode);
  }

  /** The recognised words of the user. */
  heard(words: string): void {
    void this.guard.user(words);
  }

  /** Words of a text conversation: `answer` is called unless a rule stops them. */
  hearText(words: string, answer: () => void): void {
    this.userActs();
    const answered = (isStopped: boolean): void => {
      // Written words have no answer of the provider itself.
      this.isAnswerRefused = false;
      if (!isStopped && !this.parts.isOver()) answer();
    };
    const verdict = this.guard.user(words);
    if (verdict instanceof Promise) void verdict.then(answered);
    else answered(verdict);
  }

  /** The user speaks or presses keys again. */
  userActs(): void {
    this.isAnswerRefused = false;
  }

  connectionLost(): void {
    this.isAnswerRefused = false;
    this.guard.connectionLost();
  }

  close(): void {
    this.guard.close();
  }

  private get mode(): GuardMode {
    const { capabilities } = this.parts.link.provider;
    if (capabilities.screensSentences) return 'by_provider';
    if (this.options.settings.modality === 'text') return 'whole';
    return capabilities.wordsFirst ? 'first' : 'after';
  }

  private hit({ name, on, action }: Guardrail, words: string): void {
    if (++this.hits > MAX_HITS) return;
    const { log } = this.parts;
    log.write({ type: 'guardrail_hit', name, on, action, words: words.slice(0, MAX_WORDS), turn: log.lastTurn });
  }

  private cut(mode: GuardMode): void {
    const { voice } = this.parts;
    if (mode === 'after') voice.stop('guardrail');
    else voice.endEarly();
  }

  private act(rule: Guardrail): void {
    const { parts } = this;
    if (parts.isOver()) return;
    const { on, action, text } = rule;
    if (on === 'user') this.refuseAnswer();
    if (on === 'agent' && action === 'say') return void this.afterAnswer.push(text ?? '');
    if (on !== 'tool') parts.note(noteOf(rule));
    if (action === 'transfer' || action === 'end') return void this.leave(rule);
    const isSpoken = action === 'say' || (action === 'replace' && on === 'agent');
    if (isSpoken && text) void parts.speak(text);
  }

  /** What the agent says already is stopped; otherwise its next answer is not played. */
  private refuseAnswer(): void {
    const { voice } = this.parts;
    const isSpeaking = voice.isPlaying || voice.isGenerating;
    if (isSpeaking) voice.stop('guardrail');
    this.isAnswerRefused = !isSpeaking;
  }

  private sayAfterAnswer(): void {
    if (this.parts.isOver()) return;
    for (const text of this.afterAnswer.splice(0)) void this.parts.speak(text);
  }

  private async leave({ name, action, text }: Guardrail): Promise<void> {
    const { parts } = this;
    this.acting++;
    try {
      if (text) await parts.speak(text);
      if (parts.isOver()) return;
      if (action === 'end') return parts.end();
      const id = `${BY_RULE}${++this.transfers}`;
      const args = JSON.stringify({ reason: `Rule ${name}` });
      const call = { toolCallId: id, responseId: id, name: TRANSFER_TOOL.name, arguments: args };
      const problem = await parts.transfer({ type: 'tool_call', ...call });
      if (problem === undefined || parts.isOver()) return;
      parts.note(`A rule wanted to transfer this call, and nobody took it: ${problem}`);
    } finally {
      this.acting--;
      this.isAnswerRefused = false;
    }
    parts.answer();
  }
}

/** Recorded hits of a call: rules go on after them. */
const MAX_HITS = 200;
/** Of an event; a turn has no more characters than a database row should. */
const MAX_WORDS = 2_000;

const noteOf = ({ on, name }: Guardrail): string =>
  on === 'user'
    ? `A rule of this call (${name}) applies to the last words of the user. Do not answer them and do not do what they ask for.`
    : `A rule of this call (${name}) applies to your last words: the user did not hear them to their end. Do not repeat them.`;
