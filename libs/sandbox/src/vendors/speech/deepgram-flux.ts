import type { listen } from '@deepgram/sdk';
import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Script } from '../../server/script.js';
import { faultRefusal, refusal, wrongKey } from './deepgram-refusals.js';
import type { Conversation, SocketEmulator } from '../emulator.js';
import { type HeardWord, Hearing, type HearingEvent, type HearingFormat } from './hearing.js';
import { LegConnection } from '../leg-connection.js';
import type { LegFaults } from '../leg-faults.js';

/** The vendor closes a stream without a message for so long. */
const IDLE_MS = 10_000;
/** Between the messages about an unchanged turn, in silence too. */
const UPDATE_MS = 240;
/** Silence that may be the end of the turn. */
const PAUSE_MS = 200;
/** Shorter silence does not interrupt a returning voice. */
const GAP_MS = 100;
const MAX_KEYTERMS = 100;
const POLICY = 1008;
const INTERNAL = 1011;

/**
 * Conversational transcription of Deepgram: `/v2/listen`, by the vendor's types and its pages docs/flux/state, configuration, configure,
 * force-end-turn and close-stream. The confidence that a turn has ended depends on the silence alone (`confidenceAfter`).
 */
export const deepgramFlux: SocketEmulator = {
  serves: ({ pathname }) => pathname === '/v2/listen',

  open(request, { searchParams }, services) {
    const isToken = /^token /i.test(request.headers.authorization ?? '');
    if (!isToken || !services.isKnown(request)) return wrongKey();
    const options = optionsOf(searchParams);
    if (typeof options === 'string') return invalid(options);
    const leg = services.scripts.openLeg(options.model, 'transcriber');
    if (!leg) return invalid(`model: unknown variant \`${options.model}\``);
    const { refusal: refused } = leg.faults;
    if (refused) return faultRefusal(refused);
    return (socket) => new FluxConversation(socket, options, leg);
  },
};

const invalid = (problem: string) =>
  refusal(400, 'INVALID_QUERY_PARAMETER', `Failed to deserialize query parameters: ${problem}`);

interface Thresholds {
  /** Undefined: no eager ends. */
  eager_eot_threshold?: number;
  eot_threshold: number;
  eot_timeout_ms: number;
}

interface FluxOptions {
  model: string;
  /** Detects languages; the English model does not. */
  isMultilingual: boolean;
  format: HearingFormat;
  thresholds: Thresholds;
  keyterms: string[];
  languageHints: string[];
}

const MODELS = /^(?:flux-general-(?:en|multi)|script-[0-9a-f]{64})$/;
const PARAMETERS = new Set([
  'model',
  'encoding',
  'sample_rate',
  'eager_eot_threshold',
  'eot_threshold',
  'eot_timeout_ms',
  'keyterm',
  'language_hint',
  'profanity_filter',
  'numerals',
  'redact',
  'mip_opt_out',
  'tag',
]);
const ENCODINGS = ['linear16', 'linear32', 'mulaw', 'alaw', 'opus', 'ogg-opus'];
const RATES = [8_000, 16_000, 24_000, 44_100, 48_000];
const CODECS: Record<string, HearingFormat['codec']> = { mulaw: 'PCMU', alaw: 'PCMA', linear16: 'PCM' };
const LIMITS: Record<keyof Thresholds, [number, number]> = {
  eager_eot_threshold: [0.3, 0.9],
  eot_threshold: [0.5, 1],
  eot_timeout_ms: [500, 60_000],
};
/** Parameters of formatting and billing, which change nothing here. */
const CHOICES: Record<string, readonly string[]> = {
  profanity_filter: ['true', 'false'],
  numerals: ['true', 'false'],
  redact: ['numbers', 'aggressive_numbers'],
  mip_opt_out: ['true', 'false'],
};

/** A string: why the vendor refuses the request. */
function optionsOf(query: URLSearchParams): FluxOptions | string {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) return `unknown field \`${unknown}\``;
  const model = query.get('model');
  if (model === null) return 'missing field `model`';
  if (!MODELS.test(model)) return `model: unknown variant \`${model}\``;
  const isMultilingual = model !== 'flux-general-en';
  const format = formatOf(query);
  if (typeof format === 'string') return format;
  for (const [name, choices] of Object.entries(CHOICES)) {
    const wrong = query.getAll(name).find((value) => !choices.includes(value));
    if (wrong !== undefined) return `${name}: unknown variant \`${wrong}\``;
  }
  const thresholds: Thresholds = {
    ...optional('eager_eot_threshold', numberIn(query, 'eager_eot_threshold')),
    eot_threshold: numberIn(query, 'eot_threshold') ?? 0.7,
    eot_timeout_ms: numberIn(query, 'eot_timeout_ms') ?? 5_000,
  };
  const keyterms = query.getAll('keyterm');
  const languageHints = query.getAll('language_hint');
  const problem =
    problemOfThresholds(thresholds) ?? problemOfKeyterms(keyterms) ?? problemOfHints(languageHints, isMultilingual);
  return problem ?? { model, isMultilingual, format, thresholds, keyterms, languageHints };
}

function formatOf(query: URLSearchParams): HearingFormat | string {
  const encoding = query.get('encoding');
  if (encoding === null) return 'The sandbox does not take containers: encoding and sample_rate are required.';
  if (!ENCODINGS.includes(encoding)) return `encoding: unknown variant \`${encoding}\``;
  const codec = CODECS[encoding];
  if (!codec) return 'The sandbox takes the encodings linear16, mulaw and alaw.';
  const rate = numberIn(query, 'sample_rate');
  if (rate === undefined) return 'missing field `sample_rate`';
  if (!RATES.includes(rate)) return `sample_rate must be one of ${RATES.join(', ')}`;
  if (rate % 8_000 !== 0 || (codec !== 'PCM' && rate !== 8_000))
    return 'The sandbox takes 8000 Hz, or linear16 at a multiple of it.';
  return { codec, rate };
}

/** NaN is outside of all limits. */
function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return text.trim() === '' ? Number.NaN : Number(text);
}

function problemOfThresholds(thresholds: Partial<Thresholds>): string | undefined {
  for (const [name, [min, max]] of Object.entries(LIMITS) as [keyof Thresholds, [number, number]][]) {
    const value = thresholds[name];
    if (value !== undefined && !(value >= min && value <= max)) return `${name} must be between ${min} and ${max}`;
  }
  const { eager_eot_threshold: eager, eot_threshold: end, eot_timeout_ms: timeoutMs } = thresholds;
  if (timeoutMs !== undefined && !Number.isInteger(timeoutMs)) return 'eot_timeout_ms must be an integer';
  if (eager !== undefined && end !== undefined && eager > end)
    return 'eager_eot_threshold must be less than or equal to eot_threshold';
  return undefined;
}

function problemOfKeyterms(keyterms: readonly string[]): string | undefined {
  if (keyterms.length > MAX_KEYTERMS) return `at most ${MAX_KEYTERMS} keyterms are supported`;
  return keyterms.some((term) => term.trim() === '') ? 'keyterms must not be empty' : undefined;
}

/** The vendor does not check the codes themselves. */
function problemOfHints(hints: readonly string[], isMultilingual: boolean): string | undefined {
  if (hints.length > 0 && !isMultilingual) return 'language hints are only supported for flux-general-multi';
  return hints.some((hint) => hint.trim() === '') ? 'language hints must not be empty' : undefined;
}

const optional = <K extends string, V>(name: K, value: V | undefined): { [_ in K]?: V } =>
  value === undefined ? {} : ({ [name]: value } as { [_ in K]?: V });

/** Other fields or types of fields end the stream. */
const controlMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('Configure'),
    thresholds: z
      .strictObject({
        eager_eot_threshold: z.number().nullish(),
        eot_threshold: z.number().nullish(),
        eot_timeout_ms: z.number().nullish(),
      })
      .nullish(),
    keyterms: z.union([z.string(), z.array(z.string())]).nullish(),
    language_hints: z.array(z.string()).nullish(),
    numerals: z.boolean().nullish(),
  }),
  z.strictObject({ type: z.literal('ForceEndTurn') }),
  z.strictObject({ type: z.literal('CloseStream') }),
]);

type Configure = Extract<z.infer<typeof controlMessage>, { type: 'Configure' }>;

/**
 * The confidence that a turn has ended after this much silence: 0.4 after 200 ms, 0.7 (the default threshold) after 500 ms, 0.9 after
 * 700 ms, and never 1, with which clients switch off the detection.
 */
const confidenceAfter = (silenceMs: number): number => Math.min(0.99, Math.round(200 + silenceMs) / 1_000);

interface Turn {
  /** The words of its complete utterances. */
  words: HeardWord[];
  /** Whether an eager end was announced and not taken back. */
  isEager: boolean;
}

/** One stream of a client. */
class FluxConversation implements Conversation {
  private readonly requestId = randomUUID();
  private readonly hearing: Hearing;
  private readonly connection: LegConnection;
  private readonly language: string;
  private thresholds: Thresholds;
  private keyterms: string[];
  private languageHints: string[];
  private idle: NodeJS.Timeout | undefined;
  private sequenceId = 0;
  private turnIndex = 0;
  /** A turn begins with its first word. */
  private turn: Turn | undefined;
  /** The words of the current utterance. */
  private growing: HeardWord[] = [];
  /** The end of the last utterance; undefined while the user speaks. */
  private quietFromMs: number | undefined = 0;
  /** The end of the last turn. */
  private windowMs = 0;
  /** The position of the last message about the turn. */
  private reportedMs = 0;
  private closed = false;

  constructor(
    socket: WebSocket,
    private readonly options: FluxOptions,
    { script, faults }: { script: Script; faults: LegFaults },
  ) {
    this.thresholds = options.thresholds;
    this.keyterms = options.keyterms;
    this.languageHints = options.languageHints;
    this.language = script.agent.language?.split('-')[0] ?? 'en';
    this.hearing = new Hearing(options.format, script.legs?.hears ?? [], PAUSE_MS);
    this.connection = new LegConnection(socket, faults, '{"type":"TurnInfo","words":[');
  }

  begin(): void {
    this.heardFromClient();
    this.send<listen.ListenV2Connected>({ type: 'Connected', request_id: this.requestId });
    this.connection.progressed(0);
  }

  receive(text: string): void {
    if (this.closed) return;
    this.heardFromClient();
    const { data: message, error } = controlMessage.safeParse(parse(text));
    if (error) return this.fail('UNPARSABLE_CLIENT_MESSAGE', 'Could not deserialize last text message.');
    if (message.type === 'Configure') return this.configure(message);
    if (message.type === 'ForceEndTurn') return this.forceEnd();
    this.finish();
  }

  receiveBinary(audio: Buffer): void {
    if (this.closed) return;
    this.heardFromClient();
    this.hearing.push(audio, (event) => {
      this.connection.progressed(this.hearing.audioMs);
      if (event) this.heard(event);
      this.decide();
    });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.idle);
    this.connection.ended();
  }

  private heard(event: HearingEvent): void {
    if (event.type === 'started') {
      this.quietFromMs = undefined;
      if (!this.turn?.isEager) return;
      this.turn.isEager = false;
      this.report('TurnResumed');
    } else if (event.type === 'interim') {
      this.growing = event.words;
      this.startTurn();
    } else {
      this.growing = event.words;
      this.startTurn();
      this.turn?.words.push(...event.words);
      this.growing = [];
      this.quietFromMs = event.endMs;
    }
  }

  private startTurn(): void {
    if (this.turn || this.growing.length === 0) return;
    this.turn = { words: [], isEager: false };
    this.report('StartOfTurn');
  }

  /** What 20 ms more of audio mean for the turn. */
  private decide(): void {
    const { turn, quietFromMs, thresholds, confidence } = this;
    const { audioMs } = this.hearing;
    if (turn && quietFromMs !== undefined) {
      const { eager_eot_threshold: eager = Infinity, eot_threshold: end, eot_timeout_ms: timeoutMs } = thresholds;
      if (confidence >= end) return this.endTurn('model');
      if (audioMs - quietFromMs >= timeoutMs) return this.endTurn('timeout');
      if (!turn.isEager && confidence >= eager) {
        turn.isEager = true;
        return this.report('EagerEndOfTurn');
      }
    }
    if (audioMs - this.reportedMs >= UPDATE_MS) this.report('Update');
  }

  /** Falls while a voice returns that may become speech. */
  private get confidence(): number {
    const { quietMs, audioMs } = this.hearing;
    const { quietFromMs } = this;
    if (!this.turn) return confidenceAfter(0);
    const isPause = quietFromMs !== undefined && quietMs >= GAP_MS;
    return confidenceAfter(isPause ? audioMs - quietFromMs : quietMs);
  }

  private endTurn(trigger: 'model' | 'timeout' | 'manual'): void {
    this.report('EndOfTurn', { trigger });
    this.turn = undefined;
    this.turnIndex++;
    this.windowMs = this.hearing.audioMs;
  }

  private forceEnd(): void {
    if (!this.turn) {
      const description = 'ForceEndTurn was received without an active turn.';
      return this.send({ type: 'Warning', code: 'FORCE_END_TURN_NO_ACTIVE_TURN', description });
    }
    // Later words of the utterance belong to the next turn.
    this.growing = this.hearing.flush();
    this.endTurn('manual');
    this.growing = [];
  }

  private configure({ thresholds, keyterms, language_hints: hints }: Configure): void {
    const changes = Object.fromEntries(
      Object.entries(thresholds ?? {}).filter(([, value]) => value !== null && value !== undefined),
    ) as Partial<Thresholds>;
    const terms = typeof keyterms === 'string' ? [keyterms] : (keyterms ?? this.keyterms);
    const languageHints = hints ?? this.languageHints;
    const { isMultilingual } = this.options;
    const wrongThreshold = problemOfThresholds(changes);
    if (wrongThreshold) return this.refuse('INVALID_THRESHOLD', wrongThreshold);
    const wrongTerm = problemOfKeyterms(terms);
    if (wrongTerm) return this.refuse('INVALID_KEYTERMS', wrongTerm);
    const wrongHint = problemOfHints(languageHints, isMultilingual);
    if (wrongHint) return this.refuse('INVALID_LANGUAGE_HINTS', wrongHint);
    this.thresholds = { ...this.thresholds, ...changes };
    this.keyterms = terms;
    this.languageHints = languageHints;
    this.send<listen.ListenV2ConfigureSuccess>({
      type: 'ConfigureSuccess',
      request_id: this.requestId,
      thresholds: this.thresholds,
      keyterms: terms,
      ...optional('language_hints', isMultilingual ? languageHints : undefined),
    });
  }

  /** The stream continues with its earlier configuration. */
  private refuse(code: string, description: string): void {
    const failure = { type: 'ConfigureFailure' as const, request_id: this.requestId, code, description };
    this.send<listen.ListenV2ConfigureFailure & { code: string; description: string }>(failure);
  }

  /** The turn does not end, and the close frame has no code. */
  private finish(): void {
    this.closed = true;
    this.growing = this.hearing.flush();
    if (this.turn || this.growing.length > 0) this.report('Update');
    this.connection.close();
  }

  private report(event: listen.ListenV2TurnInfo.Event, trigger: Pick<listen.ListenV2TurnInfo, 'trigger'> = {}): void {
    const words = [...(this.turn?.words ?? []), ...this.growing];
    const { isMultilingual } = this.options;
    const { audioMs } = this.hearing;
    this.reportedMs = audioMs;
    this.send<listen.ListenV2TurnInfo>(
      {
        type: 'TurnInfo',
        request_id: this.requestId,
        event,
        turn_index: this.turnIndex,
        audio_window_start: this.windowMs / 1_000,
        audio_window_end: audioMs / 1_000,
        transcript: words.map(({ text }) => text).join(' '),
        words: words.map(({ text, startMs, endMs }) => ({
          word: text,
          confidence: 0.99,
          start: startMs / 1_000,
          end: endMs / 1_000,
        })),
        end_of_turn_confidence: this.confidence,
        ...trigger,
        ...optional('languages', isMultilingual ? (words.length > 0 ? [this.language] : []) : undefined),
        ...optional('languages_hinted', this.languageHints.length > 0 ? this.languageHints : undefined),
      },
      words.length > 0,
    );
  }

  private fail(code: string, description: string): void {
    this.closed = true;
    this.send<listen.ListenV2FatalError>({ type: 'Error', code, description });
    this.connection.close(POLICY, code);
  }

  /** `isResult`: a delay of the script begins with the first one; a message without words is not one. */
  private send<Message extends { sequence_id: number }>(message: Omit<Message, 'sequence_id'>, isResult = false): void {
    const numbered = { ...message, sequence_id: this.sequenceId++ };
    if (isResult) this.connection.sendResult(numbered);
    else this.connection.send(numbered);
  }

  private heardFromClient(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      this.closed = true;
      const reason = 'Deepgram did not receive audio data or a text message within the timeout window. (NET-0001)';
      this.connection.close(INTERNAL, reason);
    }, IDLE_MS);
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
