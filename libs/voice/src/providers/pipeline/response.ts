import { bytesPerMs } from '@app/telephony';
import type { ConnectRequest, ProviderEvent, ToolDefinition } from '../voice-provider.js';
import type { Clock } from '../../clock.js';
import type { UsageItem } from '../../usage.js';
import type { DeliveredPart, Dialogue } from './dialogue.js';
import { Generation, type ModelOutput } from './generation.js';
import type { LegChain } from './legs.js';
import type { PartSpeaker } from './speech/part-speaker.js';
import type { Playhead } from './speech/playhead.js';
import type { LanguageModel, LegAudio, ModelMessage } from './ports.js';
import { normalise } from './turns/acknowledgements.js';
import type { SpokenLanguage } from './turns/spoken-languages.js';
import { SentenceSplitter } from './speech/sentence-splitter.js';

/** The longest answer in characters; the rest is dropped. */
const MAX_ANSWER_LENGTH = 20_000;

export interface ResponseServices {
  models: LegChain<LanguageModel>;
  /** Absent: a conversation in text. */
  speaker?: PartSpeaker;
  audio: LegAudio;
  playhead: Playhead;
  dialogue: Dialogue;
  clock: Clock;
  tools: readonly ToolDefinition[];
  instructions: string;
  language: SpokenLanguage;
  emit: (event: ProviderEvent) => void;
  onUsage: (items: UsageItem[]) => void;
  /** Judges the sentences of the model before they are spoken. */
  screen?: ConnectRequest['screen'];
}

/** `words`: to be spoken as they are. `ahead`: the answer that the model began before the turn of the user had ended. */
type ResponseContent = { words: string } | { ahead?: Generation };

/** One response of the agent: from the model, or given words, to sentences and audio. */
export class Response {
  private readonly abort = new AbortController();
  private readonly parts = new PartQueue();
  private readonly lengthsMs: number[] = [];
  private generation: Generation | undefined;
  private said = '';
  private calls = 0;
  private hasToken = false;
  /** A rule of the agent has ended the answer. */
  private isScreenedOut = false;
  private hasSpoken = false;

  constructor(
    private readonly services: ResponseServices,
    readonly ids: { responseId: string; itemId: string },
    private readonly content: ResponseContent,
  ) {}

  get isAnswer(): boolean {
    return !('words' in this.content);
  }

  /** Audio or text was delivered, or a tool was called: the user may have noticed it. */
  get hasEffect(): boolean {
    return this.hasSpoken || this.calls > 0;
  }

  private get isCancelled(): boolean {
    return this.abort.signal.aborted;
  }

  cancel(): void {
    this.abort.abort();
    this.parts.end();
    this.generation?.stop();
    if ('ahead' in this.content) this.content.ahead?.stop();
  }

  /** Resolves when everything was delivered, or after `cancel`. Rejects with LegsFailed. */
  async run(): Promise<void> {
    const { signal } = this.abort;
    const produced = this.produce();
    produced.then(
      () => this.parts.end(),
      (error: unknown) => this.parts.fail(error),
    );
    try {
      for (let part = await this.parts.next(); part !== undefined; part = await this.parts.next())
        if (!(await this.screened(part))) break;
    } catch (error) {
      if (signal.aborted) return;
      this.cancel();
      throw error;
    }
  }

  /** Given words are not judged. Returns whether the answer goes on. */
  private async screened(part: string): Promise<boolean> {
    const { screen } = this.services;
    const { say, isLast } = screen && this.isAnswer ? await screen(part) : { say: part, isLast: false };
    if (this.isCancelled) return false;
    if (say !== undefined) await this.deliver(say);
    if (isLast) {
      this.isScreenedOut = true;
      this.parts.end();
      this.generation?.stop();
    }
    return !isLast;
  }

  private async produce(): Promise<void> {
    const { content } = this;
    if (!('words' in content)) return this.answer(content.ahead);
    const splitter = new SentenceSplitter();
    this.enqueue([...splitter.push(content.words), ...splitter.end()]);
  }

  /** Another attempt continues after the words that the failed one has said. A failure after a tool call ends the answer. */
  private async answer(ahead: Generation | undefined): Promise<void> {
    const { models } = this.services;
    const { signal } = this.abort;
    for (let generation = ahead; !signal.aborted; generation = undefined) {
      const splitter = new SentenceSplitter();
      const text = new Continuation(this.said);
      try {
        this.generation = generation ?? this.generate();
        this.generation.deliver((output) => this.take(output, splitter, text));
        await this.generation.done;
        this.enqueue([...splitter.push(text.end()), ...splitter.end()]);
        models.worked();
        return;
      } catch (error) {
        if (signal.aborted || this.isScreenedOut || this.calls > 0) return;
        await models.failed(error, signal);
      }
    }
  }

  private generate(): Generation {
    const { models, dialogue, instructions, tools, clock, onUsage } = this.services;
    const cutOff = this.said === '' ? undefined : { itemId: this.ids.itemId, said: this.said };
    const messages: ModelMessage[] = dialogue.messages({ cutOff });
    return new Generation(models.leg, { instructions, messages, tools }, { clock, onUsage });
  }

  private take(output: ModelOutput, splitter: SentenceSplitter, text: Continuation): void {
    if (this.isCancelled || this.isScreenedOut) return;
    const { emit, dialogue } = this.services;
    const { responseId, itemId } = this.ids;
    if (!this.hasToken) emit({ type: 'first_token', responseId });
    this.hasToken = true;
    if (output.type === 'text') return this.enqueue(splitter.push(text.push(output.text)));
    const { id, name, arguments: json } = output;
    this.calls++;
    dialogue.called(itemId, { id, name, arguments: json });
    emit({ type: 'tool_call', responseId, toolCallId: id, name, arguments: json });
  }

  private enqueue(parts: readonly string[]): void {
    for (const part of parts) {
      if (this.said.length + part.length > MAX_ANSWER_LENGTH) {
        const message = `The answer was longer than ${MAX_ANSWER_LENGTH} characters; the rest was dropped.`;
        if (this.generation) this.services.emit({ type: 'error', code: 'response_too_long', message });
        this.generation?.stop();
        this.generation = undefined;
        return this.parts.end();
      }
      this.said += this.said === '' ? part : ` ${part}`;
      this.parts.push(part);
    }
  }

  private async deliver(text: string): Promise<void> {
    const { services } = this;
    const { speaker, playhead, dialogue, audio } = services;
    const { signal } = this.abort;
    if (signal.aborted) return;
    if (!speaker) return this.written(text);
    // While one sentence is played, two more may be ready.
    const [before = Infinity, last = Infinity] = this.lengthsMs.slice(-2);
    await playhead.until(before + last, signal);
    let begun: DeliveredPart | undefined;
    const onAudio = (piece: Buffer, part: DeliveredPart): void => {
      if (signal.aborted) return;
      if (!begun) {
        begun = part;
        dialogue.delivered(this.ids.itemId, part);
        this.emitText(text);
      }
      playhead.delivered(piece.length / bytesPerMs(audio.codec));
      services.emit({ type: 'audio', ...this.ids, audio: piece });
    };
    if (this.isAnswer) await speaker.speak(text, services.language.current, onAudio, signal);
    else await speaker.phrase(text, services.language.current, onAudio, signal);
    if (begun) this.lengthsMs.push(begun.audioMs);
  }

  private written(text: string): void {
    this.services.dialogue.delivered(this.ids.itemId, { text, audioMs: 0, words: [], isComplete: true });
    this.emitText(text);
  }

  private emitText(text: string): void {
    this.hasSpoken = true;
    this.services.emit({ type: 'agent_text', ...this.ids, text: `${text} ` });
  }
}

/** A text that continues another one. Models may begin it again from its first word: the words that were said are skipped. */
class Continuation {
  private readonly said: string;
  private held: string | undefined;

  constructor(said: string) {
    this.said = normalise(said);
    this.held = said === '' ? undefined : '';
  }

  /** Returns the words that are new. */
  push(text: string): string {
    if (this.held === undefined) return text;
    this.held += text;
    const begun = normalise(this.held);
    if (this.said.startsWith(begun)) return '';
    const { held } = this;
    this.held = undefined;
    return begun.startsWith(this.said) ? withoutStart(held, this.said) : held;
  }

  end(): string {
    const { held } = this;
    this.held = undefined;
    // Nothing but a repetition of the whole text.
    return held === undefined || normalise(held) === this.said ? '' : held;
  }
}

/** The text after its shortest beginning that has these words. */
function withoutStart(text: string, words: string): string {
  for (let at = 0; at <= text.length; at++)
    if (normalise(text.slice(0, at)) === words) return text.slice(at).replace(/^[\p{P}\s]+/u, '');
  return text;
}

/** Parts between their production and their delivery. */
class PartQueue {
  private readonly waiting: string[] = [];
  private state: 'open' | 'ended' | { error: unknown } = 'open';
  private wake = (): void => undefined;

  push(part: string): void {
    if (this.state !== 'open') return;
    this.waiting.push(part);
    this.wake();
  }

  end(): void {
    if (this.state === 'open') this.state = 'ended';
    this.wake();
  }

  fail(error: unknown): void {
    if (this.state === 'open') this.state = { error };
    this.wake();
  }

  /** Undefined after the last part. Rejects with the failure of the production. */
  async next(): Promise<string | undefined> {
    while (this.waiting.length === 0 && this.state === 'open')
      await new Promise<void>((resolve) => (this.wake = resolve));
    const part = this.waiting.shift();
    if (part === undefined && typeof this.state === 'object') throw this.state.error;
    return part;
  }
}
