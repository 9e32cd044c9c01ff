import { signal } from '@preact/signals';
import { ApiError, ask, isAbort, request } from './client.js';
import { may } from './me.js';
import { type ApiPath, apiPath } from './path.js';
import { pause, poll } from './poll.js';
import {
  type CallCommand,
  type CallEvent,
  type CallTurnWords,
  type Delivery,
  type Diagnostics,
  isLive,
  type ListOf,
  type ToolCall,
  type WholeCall,
} from './types.js';
import { createParser } from 'eventsource-parser';

const WIRE_MS = 1_500;
/** The dialer stores SIP messages about a second after the end. */
const WIRE_TRIES = 6;
const DELIVERIES_MS = 1_500;
const OPEN = new Set(['pending', 'slow']);
const MAX_DELIVERIES = 100;
/** Event types that change the record of the call. */
const OF_RECORD = new Set(['status', 'transfer', 'handed_over']);

type Part = 'call' | 'wire' | 'tools' | 'deliveries' | 'commands';

export type Watching = 'live' | 'interrupted' | 'over';

/** All API data of one call, kept up to date while the page is open. */
export class CallData {
  readonly call = signal<WholeCall | undefined>(undefined);
  readonly events = signal<readonly CallEvent[]>([]);
  /** The words of running turns, by the number of the turn; the `turn` event has the final ones. */
  readonly words = signal<ReadonlyMap<number, CallTurnWords>>(new Map());
  readonly diagnostics = signal<Diagnostics | undefined>(undefined);
  readonly toolCalls = signal<readonly ToolCall[]>([]);
  readonly deliveries = signal<readonly Delivery[] | undefined>(undefined);
  /** The commands to the call, in their order. */
  readonly commands = signal<readonly CallCommand[]>([]);
  readonly watching = signal<Watching>('live');
  /** The last error of a part; undefined after recovery. */
  readonly trouble = signal<Readonly<Partial<Record<Part, unknown>>>>({});
  private readonly leaving = new AbortController();
  private readonly signal = this.leaving.signal;

  constructor(private readonly id: string) {}

  close(): void {
    this.leaving.abort();
  }

  async open(): Promise<void> {
    try {
      await this.readCall();
    } catch (error) {
      return this.refuse('call', error);
    }
    void this.guard('call', () => this.watch());
    this.follow(
      'wire',
      () => this.readWire(),
      () => this.wireWait(),
    );
    this.followDeliveries();
    void this.guard('tools', () => this.readTools());
  }

  async readCall(): Promise<WholeCall> {
    const { data } = await this.get<{ data: WholeCall }>(apiPath`calls/${this.id}`);
    this.call.value = data;
    return data;
  }

  /** Polls until all deliveries have ended. */
  followDeliveries(): void {
    if (!may('webhooks:read')) return;
    this.follow(
      'deliveries',
      () => this.readDeliveries(),
      () => {
        const isOver = this.call.value !== undefined && !isLive(this.call.value);
        const isOpen = this.deliveries.value?.some(({ state }) => OPEN.has(state)) ?? true;
        return isOver && !isOpen ? undefined : DELIVERIES_MS;
      },
    );
  }

  private watch(): Promise<void> {
    return watchCall({
      callId: this.id,
      signal: this.signal,
      onState: (state) => (this.watching.value = state),
      onWords: (words) => (this.words.value = new Map(this.words.value).set(words.data.turn, words)),
      onEvents: (events) => {
        this.events.value = [...this.events.value, ...events];
        this.forgetWords(events);
        if (events.some(({ type }) => type === 'tool_call')) void this.guard('tools', () => this.readTools());
        if (events.some(({ type }) => type.startsWith('command_'))) void this.readCommands();
        if (events.some(({ type }) => OF_RECORD.has(type))) void this.guard('call', () => this.readCall());
      },
    });
  }

  private forgetWords(events: readonly CallEvent[]): void {
    const ended = new Set(events.filter(({ type }) => type === 'turn').map(({ data }) => data['turn']));
    if (![...this.words.value.keys()].some((turn) => ended.has(turn))) return;
    this.words.value = new Map([...this.words.value].filter(([turn]) => !ended.has(turn)));
  }

  private wireTries = 0;
  private wireWait(): number | undefined {
    if (this.call.value === undefined || isLive(this.call.value)) return WIRE_MS;
    const isWhole = this.diagnostics.value?.legs.every(({ rtp }) => rtp !== null) ?? false;
    return isWhole || (this.wireTries += 1) > WIRE_TRIES ? undefined : WIRE_MS;
  }

  private async readWire(): Promise<void> {
    this.diagnostics.value = (await this.get<{ data: Diagnostics }>(apiPath`calls/${this.id}/diagnostics`)).data;
  }

  private async readTools(): Promise<void> {
    this.toolCalls.value = (await this.get<{ data: ToolCall[] }>(apiPath`calls/${this.id}/tool-calls`)).data;
    // An action without wait_response is delivered after the tool has answered.
    if (!this.toolCalls.value.some(({ actions }) => actions.some(({ outcome }) => outcome === 'queued'))) return;
    await pause(DELIVERIES_MS, this.signal);
    if (!this.signal.aborted) await this.readTools();
  }

  readCommands(): Promise<void> {
    return this.guard('commands', async () => {
      this.commands.value = (await this.get<{ data: CallCommand[] }>(apiPath`calls/${this.id}/commands`)).data;
    });
  }

  private async readDeliveries(): Promise<void> {
    const query = { call_id: this.id, per_page: MAX_DELIVERIES };
    const { data } = await ask<ListOf<Delivery>>('GET', apiPath`webhook-deliveries`, { query, signal: this.signal });
    this.deliveries.value = data.toSorted(
      (one, other) => one.created_at.localeCompare(other.created_at) || one.sequence - other.sequence,
    );
  }

  private get<T>(path: ApiPath): Promise<T> {
    return ask<T>('GET', path, { signal: this.signal });
  }

  private follow(part: Part, work: () => Promise<void>, every: () => number | undefined): void {
    void poll({ signal: this.signal, work, every, onTrouble: (error) => this.refuse(part, error) });
  }

  private async guard(part: Part, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.refuse(part, error);
    }
  }

  private refuse(part: Part, error: unknown): void {
    if (!isAbort(error) && !this.signal.aborted) this.trouble.value = { ...this.trouble.value, [part]: error };
  }
}

const AGAIN_MS = 2_000;

interface Watch {
  callId: string;
  signal: AbortSignal;
  onEvents: (events: readonly CallEvent[]) => void;
  onWords: (words: CallTurnWords) => void;
  onState: (state: Watching) => void;
}

/**
 * Follows a call by its server-sent events until the last event. EventSource cannot send a token, so the stream is read with fetch;
 * an interrupted stream resumes after the last received event.
 */
async function watchCall({ callId, signal, onEvents, onWords, onState }: Watch): Promise<void> {
  let last = 0;
  const take = (events: readonly CallEvent[]): void => {
    const fresh = events.filter(({ seq }) => seq > last);
    last = fresh.at(-1)?.seq ?? last;
    if (fresh.length > 0) onEvents(fresh);
  };
  while (!signal.aborted) {
    try {
      onState('live');
      if (await readStream(callId, last, { take, words: onWords }, signal)) return onState('over');
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
    }
    onState('interrupted');
    await pause(AGAIN_MS, signal);
  }
}

/** @returns whether the stream has ended for good */
async function readStream(
  callId: string,
  after: number,
  { take, words }: { take: (events: readonly CallEvent[]) => void; words: Watch['onWords'] },
  signal: AbortSignal,
): Promise<boolean> {
  const headers = { Accept: 'text/event-stream', ...(after > 0 && { 'Last-Event-ID': String(after) }) };
  const response = await request('GET', apiPath`calls/${callId}/events`, { headers, signal, query: { words: 'true' } });
  if (response.status === 204 || !response.body) return true;
  let arrived: CallEvent[] = [];
  let over = false;
  const parser = createParser({
    onEvent: ({ event: type, data }) => {
      if (type === 'turn_words') return words(JSON.parse(data) as CallTurnWords);
      const event = JSON.parse(data) as CallEvent;
      arrived.push(event);
      over ||= isLast(event);
    },
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return over;
    parser.feed(value);
    // Events of one chunk are shown together: an ended call is replayed at once.
    take(arrived);
    arrived = [];
  }
}

const isLast = ({ type, data }: CallEvent): boolean => type === 'status' && data['hangup_cause'] !== undefined;
