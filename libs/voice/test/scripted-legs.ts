import { VoiceActivity } from '@app/telephony';
import { type Clock, pause } from '../src/clock.js';
import { LegChain } from '../src/providers/pipeline/legs.js';
import type { PipelineLegs } from '../src/providers/pipeline/pipeline-connection.js';
import type { PipelineOptions } from '../src/providers/pipeline/pipeline-options.js';
import { PipelineProvider } from '../src/providers/pipeline/pipeline-provider.js';
import type {
  GenerationEvent,
  GenerationRequest,
  LanguageModel,
  LegAudio,
  SynthesisEvent,
  SynthesisRequest,
  Synthesizer,
  Transcriber,
  TranscriberEvent,
  TranscriberStream,
  TranscriptionRequest,
} from '../src/providers/pipeline/ports.js';

/** A failure of one attempt of a leg: at its beginning, or after so many parts of its result. */
export interface ScriptedFault {
  do: 'fail' | 'stall';
  /** Parts before the fault; absent: none. */
  after?: number;
  /** Default: an error after which a retry may help. */
  error?: Error;
}

const WORKS: ScriptedFault = { do: 'fail', after: Infinity };

/** The faults of the attempts of a leg, in order; further attempts work. */
class Attempts {
  count = 0;

  constructor(private readonly faults: readonly (ScriptedFault | undefined)[]) {}

  next(): ScriptedFault {
    return this.faults[this.count++] ?? WORKS;
  }
}

/** Waits like a leg that is silent, until the signal aborts. */
const silence = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Whether the attempt goes on with its next part. Throws when it fails here. */
async function goesOn(
  { do: kind, after = 0, error }: ScriptedFault,
  done: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (done < after) return !signal.aborted;
  if (kind === 'fail') throw error ?? new Error('socket hang up');
  await silence(signal);
  return false;
}

/** A transcriber whose streams a test controls. */
export class ScriptedTranscriber implements Transcriber {
  readonly streams: ScriptedStream[] = [];
  private readonly attempts: Attempts;
  /** Called with each new stream. */
  onStream: (stream: ScriptedStream) => void = () => undefined;
  endsTurns?: true;

  constructor(
    faults: readonly (ScriptedFault | undefined)[] = [],
    readonly name = 'scripted-ear',
    /** The words of the user's utterances in order; absent: a test emits the events. */
    private readonly hears?: string[],
  ) {
    this.attempts = new Attempts(faults);
  }

  async open(
    request: TranscriptionRequest,
    onEvent: (event: TranscriberEvent) => void,
    signal: AbortSignal,
  ): Promise<TranscriberStream> {
    if (!(await goesOn(this.attempts.next(), 0, signal))) throw new Error('aborted');
    const stream = new ScriptedStream(this.name, request, onEvent);
    this.streams.push(stream);
    if (this.hears) recognise(stream, this.hears);
    this.onStream(stream);
    return stream;
  }

  get last(): ScriptedStream {
    return this.streams.at(-1)!;
  }
}

/** Emits the first word 200 ms after the beginning of an utterance, and all words 100 ms after its end. */
function recognise(stream: ScriptedStream, hears: string[]): void {
  const voice = new VoiceActivity('PCMU', { startMs: 100, stopMs: 100 });
  let startedMs = 0;
  stream.onSend = (frame) => {
    const event = voice.push(frame);
    if (event?.type === 'speech-start') startedMs = event.atMs;
    if (event?.type === 'speech-stop') return stream.final(hears.shift() ?? '', startedMs);
    if (voice.speaking && voice.speechMs >= 200 && voice.speechMs < 220) stream.interim(hears[0]?.split(' ')[0] ?? '');
  };
}

export class ScriptedStream implements TranscriberStream {
  sentMs = 0;
  flushes = 0;
  isClosed = false;
  onSend: (frame: Buffer) => void = () => undefined;

  constructor(
    private readonly name: string,
    readonly request: TranscriptionRequest,
    private readonly onEvent: (event: TranscriberEvent) => void,
  ) {}

  send(frame: Buffer): void {
    this.sentMs += 20;
    if (!this.isClosed) this.onSend(frame);
  }

  flush(): void {
    this.flushes++;
  }

  close(): void {
    if (this.isClosed) return;
    const items = [
      {
        kind: 'transcription_seconds' as const,
        quantity: this.sentMs / 1_000,
        unit: 'second' as const,
        source: this.name,
      },
    ];
    this.onEvent({ type: 'usage', items });
    this.cut('closed by the client');
  }

  cut(reason = 'socket hang up'): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.onEvent({ type: 'closed', reason });
  }

  interim(text: string): void {
    this.onEvent({ type: 'interim', text, endMs: this.sentMs });
  }

  final(text: string, startMs = Math.max(0, this.sentMs - 1_000)): void {
    this.onEvent({ type: 'final', text, words: [], startMs, endMs: this.sentMs });
  }

  emit(event: TranscriberEvent): void {
    this.onEvent(event);
  }
}

export type ScriptedAnswer = string | { say?: string; call?: { name: string; arguments?: object } };

/** A model that answers by a function, word by word. */
export class ScriptedModel implements LanguageModel {
  readonly requests: GenerationRequest[] = [];
  aborted = 0;
  private readonly attempts: Attempts;
  private calls = 0;

  constructor(
    private readonly clock: Clock,
    private readonly answer: (request: GenerationRequest) => ScriptedAnswer,
    faults: readonly (ScriptedFault | undefined)[] = [],
    private readonly times = { firstMs: 40, nextMs: 0 },
    readonly name = 'scripted-model',
  ) {
    this.attempts = new Attempts(faults);
  }

  async *generate(request: GenerationRequest, signal: AbortSignal): AsyncIterable<GenerationEvent> {
    this.requests.push(request);
    const fault = this.attempts.next();
    const answer = this.answer(request);
    const { say = '', call } = typeof answer === 'string' ? { say: answer } : answer;
    const pieces = say.match(/\S+\s*/g) ?? [];
    let done = 0;
    try {
      await pause(this.clock, this.times.firstMs, signal);
      for (const text of pieces) {
        if (!(await goesOn(fault, done, signal))) break;
        yield { type: 'text', text };
        done++;
        if (this.times.nextMs > 0) await pause(this.clock, this.times.nextMs, signal);
      }
      if (call && (await goesOn(fault, done, signal)))
        yield {
          type: 'tool_call',
          id: `call-${++this.calls}`,
          name: call.name,
          arguments: JSON.stringify(call.arguments ?? {}),
        };
      if (pieces.length === 0 && !call) await goesOn(fault, 0, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (signal.aborted) this.aborted++;
    yield {
      type: 'usage',
      items: [
        { kind: 'output_text_tokens', quantity: Math.max(1, done) / 1_000, unit: 'thousand_tokens', source: this.name },
      ],
    };
  }
}

/** 60 ms of audio for each character, in pieces of 100 ms; a byte is the code of the character. */
export class ScriptedSynthesizer implements Synthesizer {
  readonly requests: SynthesisRequest[] = [];
  closed = 0;
  private readonly attempts: Attempts;

  constructor(
    private readonly clock: Clock,
    faults: readonly (ScriptedFault | undefined)[] = [],
    private readonly options: { firstMs?: number; words?: boolean } = {},
    readonly name = 'scripted-voice',
  ) {
    this.attempts = new Attempts(faults);
  }

  async *speak(request: SynthesisRequest, signal: AbortSignal): AsyncIterable<SynthesisEvent> {
    this.requests.push(request);
    const fault = this.attempts.next();
    const { text, audio } = request;
    const { firstMs = 40, words } = this.options;
    yield {
      type: 'usage',
      items: [
        { kind: 'synthesis_characters', quantity: text.length / 1_000, unit: 'thousand_characters', source: this.name },
      ],
    };
    try {
      await pause(this.clock, firstMs, signal);
      if (words) yield { type: 'words', words: timesOf(text) };
      const whole = audioOf(text, audio);
      const size = 100 * 8;
      for (let at = 0; at < whole.length; at += size) {
        if (!(await goesOn(fault, at / size, signal))) return;
        yield { type: 'audio', audio: whole.subarray(at, at + size) };
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  close(): void {
    this.closed++;
  }
}

export const CHARACTER_MS = 60;

const audioOf = (text: string, { codec }: LegAudio): Buffer => {
  if (codec === 'L16') throw new Error('Only telephone audio here.');
  return Buffer.concat(Array.from(text, (character) => Buffer.alloc(CHARACTER_MS * 8, character.charCodeAt(0) & 0x7f)));
};

function timesOf(text: string) {
  return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    text: word,
    startMs: index * CHARACTER_MS,
    endMs: (index + word.length) * CHARACTER_MS,
  }));
}

interface ScriptedLegs {
  transcribers?: readonly Transcriber[];
  models: readonly LanguageModel[];
  synthesizers?: readonly Synthesizer[];
}

/** The provider `pipeline` with these legs. */
export function scriptedPipeline(clock: Clock, legs: ScriptedLegs, options: PipelineOptions = {}): PipelineProvider {
  const openLegs = (modality: 'audio' | 'text'): Promise<PipelineLegs> => {
    const models = new LegChain('language model', legs.models, clock);
    if (modality === 'text') return Promise.resolve({ models, problems: [] });
    const transcribers = new LegChain<Transcriber>(
      'transcriber',
      legs.transcribers ?? [new ScriptedTranscriber()],
      clock,
    );
    const synthesizers = new LegChain<Synthesizer>(
      'synthesizer',
      legs.synthesizers ?? [new ScriptedSynthesizer(clock)],
      clock,
    );
    return Promise.resolve({ models, transcribers, synthesizers, problems: [] });
  };
  return new PipelineProvider({ name: 'pipeline', options, clock, openLegs });
}
