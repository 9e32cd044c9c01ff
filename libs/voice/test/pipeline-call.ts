import type { ConnectRequest, ProviderEvent, VoiceConnection } from '../src/providers/voice-provider.js';
import type { PipelineOptions } from '../src/providers/pipeline/pipeline-options.js';
import type { LanguageModel, Synthesizer, Transcriber } from '../src/providers/pipeline/ports.js';
import { request } from './realtime-call.js';
import {
  type ScriptedAnswer,
  ScriptedModel,
  scriptedPipeline,
  ScriptedSynthesizer,
  ScriptedTranscriber,
} from './scripted-legs.js';
import { SteppedLine } from './stepped-line.js';
import { userSpeech } from './test-call.js';

interface PipelineCallOptions {
  answer?: (messages: string[]) => ScriptedAnswer;
  transcribers?: Transcriber[];
  models?: (line: SteppedLine) => LanguageModel[];
  synthesizers?: (line: SteppedLine) => Synthesizer[];
  options?: PipelineOptions;
  changes?: Partial<ConnectRequest>;
}

/** A connection of the pipeline on a stepped line, without a session: it plays nothing, and interrupts like a session. */
export class PipelineCall {
  readonly line = new SteppedLine();
  readonly events: ProviderEvent[] = [];
  ear = new ScriptedTranscriber();
  model!: ScriptedModel;
  voice!: ScriptedSynthesizer;
  connection!: VoiceConnection;
  /** When the audio of the last response began. */
  private saysSince = 0;
  private item: string | undefined;

  static async start(given: PipelineCallOptions = {}): Promise<PipelineCall> {
    const call = new PipelineCall();
    const { line } = call;
    const { answer = () => 'Very well.', changes = {} } = given;
    call.model = new ScriptedModel(line, ({ messages }) => answer(messages.map(textOf)));
    call.voice = new ScriptedSynthesizer(line, [], { words: true });
    const legs = {
      transcribers: given.transcribers ?? [call.ear],
      models: given.models?.(line) ?? [call.model],
      synthesizers: given.synthesizers?.(line) ?? [call.voice],
    };
    const provider = scriptedPipeline(line, legs, given.options);
    const { signal } = new AbortController();
    call.connection = await provider.connect({ ...request, ...changes }, (event) => call.take(event), signal);
    line.onFrame((frame) => call.connection.sendAudio(frame));
    return call;
  }

  /** Events of one type, in order. */
  of<T extends ProviderEvent['type']>(type: T): Extract<ProviderEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<ProviderEvent, { type: T }> => event.type === type);
  }

  get said(): string {
    return this.of('agent_text')
      .map(({ text }) => text)
      .join('')
      .trim();
  }

  get outcomes(): string[] {
    return this.of('turn_decision').map(({ decision }) => `${decision.outcome}: ${decision.reason}`);
  }

  /** The texts of the last request to the model. */
  get asked(): string[] {
    return this.model.requests.at(-1)!.messages.map(textOf);
  }

  /** The agent says these words; `ms` of them are played. */
  async agentSays(words: string, ms: number): Promise<void> {
    this.connection.createResponse({ say: words });
    await this.line.until(() => this.item !== undefined, 1_000);
    await this.line.run(ms);
  }

  /** The user speaks for `ms`, which the transcriber recognises during the speech (`interim`) and after it (`final`). */
  async userSays(ms: number, { interim, final }: { interim?: string; final?: string } = {}): Promise<void> {
    const audio = await userSpeech(ms);
    const startMs = this.ear.last.sentMs;
    await this.line.run(ms / 2, audio);
    if (interim !== undefined) this.ear.last.interim(interim);
    await this.line.run(ms / 2, audio.subarray((ms / 2) * 8));
    if (final !== undefined) this.ear.last.final(final, startMs);
  }

  private take(event: ProviderEvent): void {
    this.events.push(event);
    if (event.type === 'audio' && this.item !== event.itemId) {
      this.item = event.itemId;
      this.saysSince = this.line.now();
    }
    if (event.type !== 'interrupted' || this.item === undefined) return;
    this.connection.cancelResponse();
    this.connection.truncate(this.item, this.line.now() - this.saysSince);
  }
}

function textOf(message: { role: string } & Record<string, unknown>): string {
  const { role, text, toolCalls, results } = message;
  return `${role}: ${typeof text === 'string' ? text : ''}${toolCalls ? ' +calls' : ''}${results ? JSON.stringify(results) : ''}`;
}
