import { ConversationSecrets, type Redaction, type Utterance } from '@app/privacy';
import type { SessionEvent, TurnRole } from '@app/voice';
import { type Silence, silencesOf, TURN_MARGIN_MS } from '../media/recording-silences.js';
import { RECORDING_PAUSED } from './transcript-pauses.js';

/** An event that may be stored, with what was removed from it. */
type TakeEvent = (event: SessionEvent, redacted: RedactedCount[]) => void;

interface RedactedCount {
  kind: string;
  count: number;
}

type KeyEvent = Extract<SessionEvent, { type: 'dtmf_received' }>;

/** One thing in the order of the conversation. */
interface Held {
  isOpen: () => boolean;
  /** Passes it on as it may be stored. */
  release: () => void;
  /** The event as it may be shown now; absent: a note. */
  shown?: () => SessionEvent;
}

/** A number is not continued after such a time. */
const MAX_OPEN_MS = 60_000;
/** Keys become an input two seconds after the last one; keys that a tool collects become none. */
const MAX_INPUT_MS = 3_000;

/**
 * The events of a conversation without its secrets. An event that ends with a part of a number is held back, with everything after it,
 * until the number is complete or goes no further.
 */
export class RedactedEvents {
  readonly silences: Silence[] = [];
  private readonly secrets: ConversationSecrets;
  private readonly held: Held[] = [];
  /** The keys that have not become an input. */
  private keys: { event: KeyEvent; utterance?: Utterance; at?: number }[] = [];
  private timer: NodeJS.Timeout | undefined;
  /** Speech whose words have not arrived. */
  private unheard: Silence[] = [];
  /** The beginnings of the turns that have not ended. */
  private readonly begun = new Map<number, number>();

  constructor(
    redaction: Redaction,
    private readonly take: TakeEvent,
  ) {
    this.secrets = new ConversationSecrets(redaction);
  }

  /** The events that are held back, as they may be shown now. */
  get waiting(): SessionEvent[] {
    return this.held.flatMap(({ shown }) => shown?.() ?? []);
  }

  add(event: SessionEvent): void {
    if (event.type === 'turn_started') this.begun.set(event.turn, event.started_ms);
    else if (event.type === 'ended') this.begun.clear();
    if (event.type === 'turn') this.turn(event);
    else if (event.type === 'dtmf_received') this.key(event);
    else if (event.type === 'dtmf_input') this.input(event);
    else this.other(event);
    this.releaseReady();
  }

  /** A fact of the line or a transfer: `text` are words of the conversation. */
  note(data: Record<string, unknown>, store: (data: Record<string, unknown>) => void): void {
    const redacted = (): Record<string, unknown> =>
      typeof data.text === 'string' ? { ...data, text: this.secrets.redact(data.text).text } : data;
    this.held.push({ isOpen: () => false, release: () => store(redacted()) });
    this.releaseReady();
  }

  running(role: TurnRole, text: string): string {
    return this.secrets.running(sideOf(role), text);
  }

  /** Of a text about the conversation, such as its summary. */
  redact(text: string): string {
    return this.secrets.redact(text).text;
  }

  redactValue(value: unknown): unknown {
    return this.secrets.redactValue(value).value;
  }

  /** The conversation is over: nothing is continued. */
  close(): void {
    clearTimeout(this.timer);
    this.collectKeys();
    this.secrets.closeAll();
    this.releaseReady();
    this.silences.push(...this.unheard.splice(0), ...this.lostTurns());
  }

  /** The session died with its thread: the words of its last turns are not known, and none are known of what follows. */
  private lostTurns(): Silence[] {
    if (this.begun.size === 0) return [];
    return [{ fromMs: Math.max(0, Math.min(...this.begun.values()) - TURN_MARGIN_MS), toMs: Infinity }];
  }

  private turn(event: Extract<SessionEvent, { type: 'turn' }>): void {
    this.begun.delete(event.turn);
    const role = sideOf(event.role);
    const utterance = this.secrets.add(role, event.text === RECORDING_PAUSED ? '' : event.text);
    const { words: _words, ...stored } = event;
    const text = (shown: string): string => (event.text === RECORDING_PAUSED ? event.text : shown);
    this.held.push({
      isOpen: () => utterance.isOpen,
      shown: () => ({ ...stored, text: text(utterance.shown.text) }),
      release: () => {
        this.hearTurn(event, utterance);
        const { text: redacted, kinds } = utterance.redacted;
        this.take({ ...stored, text: text(redacted) }, countsOf(kinds));
      },
    });
  }

  private hearTurn(event: Extract<SessionEvent, { type: 'turn' }>, { found }: Utterance): void {
    this.unheard = this.unheard.filter(({ fromMs, toMs }) => toMs <= event.started_ms || fromMs >= event.ended_ms);
    this.silences.push(...silencesOf(event, found));
  }

  private key(event: KeyEvent): void {
    const key: (typeof this.keys)[number] = { event };
    this.keys.push(key);
    const isSecret = (): boolean =>
      key.utterance?.found.some(({ start, end }) => start <= key.at! && end > key.at!) ?? false;
    const kindOf = (): string =>
      key.utterance?.found.find(({ start, end }) => start <= key.at! && end > key.at!)?.kind ?? '';
    const shown = (): SessionEvent => (isSecret() ? { ...event, digit: `[${kindOf()}]` } : event);
    this.held.push({
      isOpen: () => key.utterance === undefined || key.utterance.isOpen,
      shown: () => (key.utterance && !key.utterance.isOpen ? shown() : { ...event, digit: '[digits]' }),
      release: () => {
        if (isSecret())
          this.silences.push({
            fromMs: event.at_ms - event.duration_ms - TONE_MARGIN_MS,
            toMs: event.at_ms + TONE_MARGIN_MS,
          });
        this.take(shown(), isSecret() ? [{ kind: kindOf(), count: 1 }] : []);
      },
    });
  }

  private input(event: Extract<SessionEvent, { type: 'dtmf_input' }>): void {
    const digits = event.digits === RECORDING_PAUSED ? '' : event.digits;
    const utterance = this.collectKeys(digits);
    const redacted = (): string => (digits === '' ? event.digits : unspaced(utterance.redacted.text));
    const shown = (): string => (digits === '' ? event.digits : unspaced(utterance.shown.text));
    this.held.push({
      isOpen: () => utterance.isOpen,
      shown: () => ({ ...event, digits: shown() }),
      release: () => this.take({ ...event, digits: redacted() }, countsOf(utterance.redacted.kinds)),
    });
  }

  /** The keys so far become one input. */
  private collectKeys(digits?: string): Utterance {
    const pressed = this.keys.map(({ event }) => event.digit);
    const given = digits ?? pressed.filter((digit) => digit !== RECORDING_PAUSED).join('');
    const utterance = this.secrets.add('keys', given.split('').join(' '));
    for (const [index, key] of this.keys.splice(0).entries()) Object.assign(key, { utterance, at: index * 2 });
    return utterance;
  }

  private other(event: SessionEvent): void {
    if (event.type === 'speech_stopped')
      this.unheard.push({ fromMs: event.at_ms - event.duration_ms, toMs: event.at_ms });
    this.held.push({
      isOpen: () => false,
      shown: () => this.withoutSecrets(event).event,
      release: () => {
        const { event: stored, kinds } = this.withoutSecrets(event);
        if (event.type === 'dtmf_sent' && kinds.length > 0) this.silences.push(sentTones(event));
        this.take(stored, countsOf(kinds));
      },
    });
  }

  private withoutSecrets(event: SessionEvent): { event: SessionEvent; kinds: string[] } {
    if (event.type === 'tool_call') {
      const { arguments: args, result, assigned, confirmation } = event;
      const given = { arguments: args, result, ...(assigned && { assigned }), ...(confirmation && { confirmation }) };
      const { value, kinds } = this.secrets.redactValue(given);
      return { event: { ...event, ...(value as typeof given) }, kinds };
    }
    if (event.type === 'tool_result') {
      const { result, assigned } = event;
      const { value, kinds } = this.secrets.redactValue({ result, ...(assigned && { assigned }) });
      return { event: { ...event, ...(value as Pick<typeof event, 'result' | 'assigned'>) }, kinds };
    }
    if (event.type === 'values_collected') {
      const { value, kinds } = this.secrets.redactValue(event.values);
      return { event: { ...event, values: value as Record<string, unknown> }, kinds };
    }
    if (event.type === 'handed_over') {
      const { text, kinds } = this.secrets.redact(event.reason);
      return { event: { ...event, reason: text }, kinds };
    }
    if (event.type === 'dtmf_sent') {
      const { text, kinds } = this.secrets.redact(event.digits.split('').join(' '));
      return { event: { ...event, digits: unspaced(text) }, kinds };
    }
    if (event.type === 'guardrail_hit') {
      const { text, kinds } = this.secrets.redact(event.words);
      return { event: { ...event, words: text }, kinds };
    }
    if (event.type === 'error') {
      const { text, kinds } = this.secrets.redact(event.message);
      return { event: { ...event, message: text }, kinds };
    }
    return { event, kinds: [] };
  }

  /** In their order: what follows a held event waits for it. */
  private releaseReady(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.held[0] && !this.held[0].isOpen()) this.held.shift()!.release();
    if (this.held.length === 0) return;
    const ms = this.keys.length > 0 ? MAX_INPUT_MS : MAX_OPEN_MS;
    this.timer = setTimeout(() => this.expire(), ms).unref();
  }

  private expire(): void {
    if (this.keys.length > 0) this.collectKeys();
    else this.secrets.closeAll();
    this.releaseReady();
  }
}

/** A supervisor speaks instead of the agent. */
const sideOf = (role: TurnRole): 'agent' | 'user' => (role === 'callee' ? 'user' : 'agent');

/** Around a tone, whose times are those of its detection. */
const TONE_MARGIN_MS = 80;
/** The longest time of one sent tone with its pause. */
const SENT_TONE_MS = 400;

/** The time of sent keys is known as a whole only. */
function sentTones({ at_ms: atMs, digits }: Extract<SessionEvent, { type: 'dtmf_sent' }>): Silence {
  const ms = digits.length * SENT_TONE_MS;
  return { fromMs: Math.max(0, atMs - ms), toMs: atMs + ms };
}

/** Keys are read one by one. */
const unspaced = (text: string): string => text.replaceAll(' ', '');

function countsOf(kinds: readonly string[]): RedactedCount[] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => ({ kind, count }));
}
