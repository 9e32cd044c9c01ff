import { z } from 'zod';
import type { Clock } from '../../../clock.js';
import type { UsageItem } from '../../../usage.js';
import { vendorProblem, vendorServer } from '../../provider-settings.js';
import type { LegParts, TranscriberKind } from '../leg-registry.js';
import type { LegAudio, Transcriber, TranscriberEvent, TranscriptionRequest } from '../ports.js';

/** The models of agents that name none: the vendors' recommendations for live speech. */
const DEFAULT_MODELS = {
  deepgram: 'nova-3',
  assemblyai: 'universal-3-5-pro',
  openai: 'gpt-live-transcribe',
} as const;

type TranscriberVendor = keyof typeof DEFAULT_MODELS;

export interface TranscriberOptions {
  /** The vendor and its model: the name in logs and bills. */
  name: string;
  /** The base address of the vendor, `http(s)` or `ws(s)`. */
  url: string;
  key?: string;
  model: string;
  /** The agent's, beside those of each request. */
  keywords?: readonly string[];
  clock: Clock;
}

export function transcriberKind(
  vendor: TranscriberVendor,
  create: (options: TranscriberOptions) => Transcriber,
): TranscriberKind {
  return {
    problem: (_choice, { settings }) => vendorProblem('transcriber', vendor, settings),
    open({ model = DEFAULT_MODELS[vendor], keywords }, { settings, clock }: LegParts) {
      const { url, key } = vendorServer(vendor, settings)!;
      return create({ name: `${vendor}:${model}`, url, key, model, keywords, clock });
    },
  };
}

/** The wait after a refusal for the number of streams, when the vendor names none: a stream ends with its call. */
export const BUSY_MS = 5_000;

/** A path below the vendor's address, for a WebSocket. */
export function socketUrl(base: string, path: string, query: readonly (readonly [string, string])[]): string {
  const url = new URL(base.replace(/^http/, 'ws'));
  url.pathname = url.pathname.replace(/\/$/, '') + path;
  for (const [name, value] of query) url.searchParams.append(name, value);
  return url.href;
}

export const bytesPerMs = ({ codec }: LegAudio): number => (codec === 'L16' ? 32 : 8);

/** The words to expect, without duplicates: `most` of them with at most `mostCharacters` together, because vendors refuse more. */
export function expectedWords(
  { keywords = [] }: TranscriberOptions,
  request: TranscriptionRequest,
  { most, mostCharacters }: { most: number; mostCharacters: number },
): string[] {
  const all = [...new Set([...keywords, ...request.keywords].map((word) => word.trim()))].filter((word) => word !== '');
  let characters = 0;
  return all.slice(0, most).filter((word) => (characters += word.length) <= mostCharacters);
}

/** Every language that the user may speak, the agent's first, as primary subtags (`de` of `de-DE`). */
export const languagesOf = ({ language, languages }: TranscriptionRequest): string[] => [
  ...new Set([...(language === undefined ? [] : [language]), ...languages].map(primaryLanguage)),
];

export const primaryLanguage = (tag: string): string => tag.split('-')[0]!.toLowerCase();

export const milliseconds = (seconds: number): number => Math.round(seconds * 1000);

/** The events of one stream until its end, with the usage that its end makes due. */
export class StreamEvents {
  private ended = false;

  /** `outstanding`: called once, at the end. */
  constructor(
    private readonly onEvent: (event: TranscriberEvent) => void,
    private readonly outstanding: () => UsageItem[],
  ) {}

  get isOpen(): boolean {
    return !this.ended;
  }

  emit(event: TranscriberEvent): void {
    if (!this.ended) this.onEvent(event);
  }

  end(reason: string, final = false): void {
    if (this.ended) return;
    this.ended = true;
    const items = this.outstanding();
    if (items.length > 0) this.onEvent({ type: 'usage', items });
    this.onEvent({ type: 'closed', reason, ...(final ? { final } : {}) });
  }
}

/** Usage by duration; none for no time. */
export const secondsUsed = (ms: number, source: string): UsageItem[] =>
  ms > 0 ? [{ kind: 'transcription_seconds', quantity: Math.round(ms) / 1000, unit: 'second', source }] : [];

/** The reason of `closed` after `close()`. */
export const CLOSED_BY_CLIENT = 'closed by the client';

/** No turn is as long; a longer text would take the memory of all calls. */
export const words = z.string().max(20_000);
/** Positions of a stream in seconds: at most eleven days. */
export const seconds = z.number().min(-1).max(1_000_000);
/** The same in milliseconds. */
export const position = z.number().min(0).max(1_000_000_000).transform(Math.round);

type MessageOf<Fields extends Record<string, z.ZodObject>> = {
  [Type in keyof Fields]: { type: Type } & z.output<Fields[Type]>;
}[keyof Fields];

/**
 * Parses JSON messages that have a `type`. The result has the used fields only; undefined: a violation of the protocol. Messages of
 * other types are `unknown`: vendors add types at any time. Null counts as absent.
 */
export function messageReader<Fields extends Record<string, z.ZodObject>>(
  fields: Fields,
): (json: string) => MessageOf<Fields> | { type: 'unknown' } | undefined {
  const known = new Map<string, z.ZodObject>(Object.entries(fields));
  return (json) => {
    const message = anyMessage.safeParse(parse(json)).data;
    if (!message) return undefined;
    const schema = known.get(message.type);
    if (!schema) return { type: 'unknown' };
    const read = schema.safeParse(message);
    return read.success ? ({ ...read.data, type: message.type } as MessageOf<Fields>) : undefined;
  };
}

const anyMessage = z.looseObject({ type: z.string() });

function parse(json: string): unknown {
  try {
    return JSON.parse(json, (_, value: unknown) => (value === null ? undefined : value));
  } catch {
    return undefined;
  }
}
