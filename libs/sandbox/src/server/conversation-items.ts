import type { ConversationItem, RealtimeResponseUsage, RealtimeServerEvent } from 'openai/resources/realtime/realtime';

/** Longer conversations lose their beginning, like with a model. */
const MAX_ITEMS = 1_000;

/** One item of the conversation. `audioMs`: length of the agent's speech so far. */
export interface HeldItem {
  item: ConversationItem & { id: string };
  audioMs?: number;
}

export class ConversationItems {
  private readonly held: HeldItem[] = [];

  get lastId(): string | null {
    return this.held.at(-1)?.item.id ?? null;
  }

  has(id: string): boolean {
    return this.held.some(({ item }) => item.id === id);
  }

  /**
   * `after`: the previous item; `root` is the beginning, undefined the end. Returns the id of the previous item.
   * @throws Refused
   */
  add(held: HeldItem, after?: string | null): string | null {
    if (this.has(held.item.id)) {
      throw new Refused('item_create_duplicate_item_id', 'There is already an item with this id.', 'item.id');
    }
    const at = this.placeAfter(after);
    this.held.splice(at, 0, held);
    if (this.held.length > MAX_ITEMS) this.held.shift();
    const own = this.held.indexOf(held);
    return this.held[own - 1]?.item.id ?? null;
  }

  /** @throws Refused with `<action>_invalid_item_id`. */
  get(id: string, action: string): HeldItem {
    const held = this.held.find(({ item }) => item.id === id);
    if (!held) throw new Refused(`${action}_invalid_item_id`, 'There is no item with this id.', 'item_id');
    return held;
  }

  /** @throws Refused */
  delete(id: string): void {
    this.held.splice(this.held.indexOf(this.get(id, 'item_delete')), 1);
  }

  /** The words after `audioEndMs` were not played. Their position in the text is unknown, so the whole text is dropped. */
  truncate(id: string, contentIndex: number, audioEndMs: number): void {
    const held = this.get(id, 'item_truncate');
    const { item, audioMs = 0 } = held;
    if (item.type !== 'message' || item.role !== 'assistant') {
      throw new Refused('invalid_value', 'Only messages of the assistant can be truncated.', 'item_id');
    }
    const part = item.content[contentIndex];
    if (part?.type !== 'output_audio') {
      throw new Refused('invalid_value', 'There is no audio content with this index.', 'content_index');
    }
    if (audioEndMs > audioMs) {
      const message = `Audio content of ${audioMs}ms is already shorter than ${audioEndMs}ms.`;
      throw new Refused('invalid_value', message, 'audio_end_ms');
    }
    held.audioMs = audioEndMs;
    delete part.transcript;
  }

  /** The tool call with this id. */
  callNamed(callId: string): ConversationItem | undefined {
    return this.held.find(({ item }) => item.type === 'function_call' && item.call_id === callId)?.item;
  }

  private placeAfter(after: string | null | undefined): number {
    if (after === undefined || after === null) return this.held.length;
    if (after === 'root') return 0;
    const at = this.held.findIndex(({ item }) => item.id === after);
    if (at >= 0) return at + 1;
    throw new Refused('item_create_invalid_previous_item_id', 'There is no item with this id.', 'previous_item_id');
  }
}

type WithoutId<Event> = Event extends unknown ? Omit<Event, 'event_id'> : never;

/** An event of this server, in the published types of the protocol; its id is assigned when it is sent. */
export type ServerEvent = WithoutId<RealtimeServerEvent>;

/** One client's connection, in any protocol. */
export interface ClientConnection {
  /** Sends any text: faults send text that is not an event. */
  sendRaw(text: string): void;
  /** Bytes that wait for the client. */
  readonly waitingBytes: number;
  close(code: number, reason: string): void;
  /** Drops the connection without a close frame. */
  cut(): void;
  /** Sends nothing any more and stays open. */
  stall(): void;
}

/** The same with the events of the Realtime protocol. */
export interface Wire extends ClientConnection {
  send(event: ServerEvent): void;
}

/** A refusal of one client event; becomes an `error` event, and the conversation goes on. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }
}

/** Tokens per second of the user's speech, and of the model's. */
const INPUT_TOKENS_PER_SECOND = 10;
const OUTPUT_TOKENS_PER_SECOND = 20;
const CHARACTERS_PER_TOKEN = 4;
/** A model's cache holds whole blocks of the earlier conversation. */
const CACHE_BLOCK = 64;

interface Tokens {
  text: number;
  audio: number;
}

/** Counts as a model would, roughly: every response reads the whole conversation again, most of it from the cache. */
export class TokenCount {
  private readonly input: Tokens = { text: 0, audio: 0 };
  private cached: Tokens = { text: 0, audio: 0 };
  private readonly output: Tokens = { text: 0, audio: 0 };

  heardText(text: string): void {
    this.input.text += textTokens(text);
  }

  heardAudio(ms: number): void {
    this.input.audio += Math.ceil((ms / 1_000) * INPUT_TOKENS_PER_SECOND);
  }

  saidText(text: string): void {
    this.output.text += textTokens(text);
  }

  saidAudio(ms: number): void {
    this.output.audio += Math.ceil((ms / 1_000) * OUTPUT_TOKENS_PER_SECOND);
  }

  /** The usage of the finished response; the next response reads its output as input. */
  bill(): RealtimeResponseUsage {
    const input = { ...this.input };
    const output = { ...this.output };
    const cached = { text: blocks(this.cached.text), audio: blocks(this.cached.audio) };
    this.cached = input;
    this.input.text += output.text;
    this.input.audio += output.audio;
    this.output.text = 0;
    this.output.audio = 0;
    return usage(input, cached, output);
  }
}

const usage = (input: Tokens, cached: Tokens, output: Tokens): RealtimeResponseUsage => ({
  total_tokens: total(input) + total(output),
  input_tokens: total(input),
  output_tokens: total(output),
  input_token_details: {
    text_tokens: input.text,
    audio_tokens: input.audio,
    image_tokens: 0,
    cached_tokens: total(cached),
    cached_tokens_details: { text_tokens: cached.text, audio_tokens: cached.audio, image_tokens: 0 },
  },
  output_token_details: { text_tokens: output.text, audio_tokens: output.audio },
});

const textTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);
const blocks = (tokens: number): number => Math.floor(tokens / CACHE_BLOCK) * CACHE_BLOCK;
const total = ({ text, audio }: Tokens): number => text + audio;
