import { bytesPerMs, decode, FRAME_MS, type G711, type LineCodec, pcmBytes } from '@app/telephony';
import type { Clock } from '../clock.js';
import type { ConversationLog, OpenTurn } from './conversation-log.js';
import type { NoiseSuppressor } from '../hearing/hearing-client.js';
import type { ProviderLink } from '../provider-link/provider-link.js';
import type { AudioPatience, ProviderEvent, TurnDecision, VoiceConnection } from '../providers/voice-provider.js';
import type { TurnWords } from '../session-events.js';
import type { SessionOptions } from '../session-options.js';
import { interpolator } from '../speech/polyphase.js';
import { speechOf } from '../transcript/transcript.js';

/** A turn of the user whose end or words may still arrive. */
interface UserTurn extends OpenTurn {
  endedMs: number | undefined;
  /** The words before the provider has finished their recognition. */
  interim: string;
}

/** More open turns than speech can have; bounds a server that reports only beginnings. */
const MAX_OPEN = 64;
/** After the loss of a connection, later words are not waited for. */
const LATEST_WORDS_MS = 5_000;
/** Speech that begins within this time after a pending turn's end is that turn, detected again by another connection. */
const SAME_SPEECH_MS = 1_000;

/** The user's turns, from the items of the providers. */
export class UserTurns {
  private readonly open = new Map<string, UserTurn>();
  /** Turns of a lost connection, until the next connection has detected them again. */
  private adrift: (UserTurn & { endedMs: number })[] = [];
  /** The turns of the latest items, open or closed. */
  private turnsOf: { itemId: string; turn: number }[] = [];

  constructor(
    private readonly log: ConversationLog,
    private readonly link: Pick<ProviderLink, 'provider'>,
    private readonly audio: Pick<UserAudio, 'timeOf'>,
  ) {}

  /** Times are the clock's. */
  started(itemId: string, startedAt: number): void {
    const startedMs = this.log.at(startedAt);
    const again = this.sameSpeech(startedMs);
    const [oldest] = this.open;
    if (oldest && this.open.size >= MAX_OPEN) this.close(...oldest);
    const turn = again ?? this.log.openTurn('callee', startedMs);
    this.turnsOf = [{ itemId, turn: turn.turn }, ...this.turnsOf].slice(0, MAX_OPEN);
    this.open.set(itemId, { ...turn, text: '', interim: '', endedMs: undefined });
    if (!again) this.log.write({ type: 'speech_started' });
  }

  stopped(itemId: string, stoppedAt: number): void {
    const turn = this.open.get(itemId);
    if (!turn) return;
    turn.endedMs = Math.max(turn.startedMs, this.log.at(stoppedAt));
    this.log.write({ type: 'speech_stopped', duration_ms: turn.endedMs - turn.startedMs });
    if (!this.link.provider.capabilities.transcribesUser || turn.text) this.close(itemId, turn);
  }

  /** Takes what the provider reports about the words of a turn. */
  take(event: ProviderEvent): void {
    if (event.type === 'user_text') this.words(event);
    if (event.type === 'user_interim') this.interim(event.itemId, event.text);
    if (event.type === 'turn_decision') this.decided(event.itemId, event.decision);
  }

  private words({ itemId, text, words }: Extract<ProviderEvent, { type: 'user_text' }>): void {
    const turn = this.open.get(itemId);
    if (!turn) return;
    turn.text = text;
    const at = (audioMs: number): number => this.log.at(this.audio.timeOf(audioMs));
    turn.words = words?.map((word) => ({ text: word.text, start_ms: at(word.startMs), end_ms: at(word.endMs) }));
    if (turn.endedMs !== undefined) this.close(itemId, turn);
  }

  /** Records why the turn ended or did not interrupt, without its words. */
  private decided(itemId: string, { outcome, reason, waitedMs }: TurnDecision): void {
    const turn = this.turnsOf.find((one) => one.itemId === itemId)?.turn;
    const waited_ms = Math.max(0, Math.round(waitedMs));
    this.log.write({ type: 'turn_decision', ...(turn !== undefined && { turn }), outcome, reason, waited_ms });
  }

  /** The words so far of speech that is not recognised completely. */
  private interim(itemId: string, text: string): void {
    const turn = this.open.get(itemId);
    if (turn) turn.interim = text;
  }

  /** The open turns with their words so far. */
  runningTurns(): TurnWords[] {
    return [...this.open.values()].map(({ turn, text, interim, startedMs }) => {
      return { turn, role: 'callee', text: text || interim, started_ms: startedMs };
    });
  }

  /** Records a turn that only the session heard, during the screening. */
  spoke(startedAt: number, stoppedAt: number): void {
    const turn = { ...this.log.openTurn('callee', this.log.at(startedAt)), text: speechOf(stoppedAt - startedAt) };
    this.log.closeTurn('callee', turn, this.log.at(stoppedAt), false);
  }

  /** The provider has detected speech. */
  get hasHeard(): boolean {
    return this.turnsOf.length > 0;
  }

  get isSpeaking(): boolean {
    for (const turn of this.open.values()) if (turn.endedMs === undefined) return true;
    return false;
  }

  /** Speech is not transcribed yet, and its words may still arrive. */
  get isAwaited(): boolean {
    // Asked for every frame.
    if (this.open.size === 0) return false;
    const since = this.log.nowMs - LATEST_WORDS_MS;
    for (const { endedMs } of this.open.values()) if (endedMs === undefined || endedMs >= since) return true;
    return false;
  }

  /** The connection was lost. Returns the beginning of the speech to replay, by the clock; undefined: none. */
  connectionLost(): number | undefined {
    const since = this.log.nowMs - LATEST_WORDS_MS;
    for (const [itemId, turn] of this.open) if ((turn.endedMs ?? since) < since) this.close(itemId, turn);
    const endedMs = this.log.nowMs;
    this.adrift.push(...[...this.open.values()].map((turn) => ({ ...turn, endedMs: turn.endedMs ?? endedMs })));
    this.open.clear();
    const [first] = this.adrift;
    return first && this.log.timeOf(first.startedMs);
  }

  /** To be called at the end of the call: closes all turns, without the words that are missing. */
  closeAll(): void {
    this.adrift.splice(0).forEach((turn) => this.write(turn, turn.endedMs));
    for (const [itemId, turn] of this.open) this.close(itemId, turn);
  }

  private sameSpeech(startedMs: number): OpenTurn | undefined {
    const turn = this.adrift.shift();
    if (!turn || startedMs <= turn.endedMs + SAME_SPEECH_MS) return turn;
    this.write(turn, turn.endedMs);
    return this.sameSpeech(startedMs);
  }

  private close(itemId: string, turn: UserTurn): void {
    this.open.delete(itemId);
    this.write(turn, turn.endedMs ?? this.log.nowMs);
  }

  private write(turn: UserTurn, endedMs: number): void {
    // Words that were never finished are better evidence than none.
    const text = turn.text || turn.interim.trim() || speechOf(endedMs - turn.startedMs);
    this.log.closeTurn('callee', { ...turn, text }, endedMs, false);
  }
}

/** 15 s of speech are 120 KB; only the end of longer speech is kept. */
const MAX_FRAMES = 15_000 / FRAME_MS;
/** Speech is detected after its beginning, so that audio before the detection is kept as well. */
const BEFORE_SPEECH_MS = 600;
/** A provider reports speech within this time. */
const LATEST_START_MS = 1_500;
const QUIET_FRAMES = BEFORE_SPEECH_MS / FRAME_MS;
/** A frame is added before the oldest one is dropped. */
const LEAST_KEPT = QUIET_FRAMES + 1;
const FRAME_BYTES = FRAME_MS * bytesPerMs('PCMU');

/** 20 ms of the user: G.711, and L16 where the line has it. */
interface LineFrame {
  narrow: Buffer;
  wide: Buffer | undefined;
}

/** G.711 as L16, for frames of a wideband call without wideband audio: concealed ones, or after a change of the codec. */
class Widening {
  private readonly upsampled = interpolator(2);

  constructor(private readonly codec: G711) {}

  of(frame: Buffer): Buffer {
    return pcmBytes(this.upsampled.push(decode(this.codec, frame)));
  }
}

/** Removes noise from the format that the provider hears. */
class Suppressors {
  private current: { codec: LineCodec; suppressor: NoiseSuppressor } | undefined;

  constructor(
    private readonly law: G711,
    private readonly hearing: NonNullable<SessionOptions['hearing']>,
  ) {}

  pass({ narrow, wide }: LineFrame, wanted: LineCodec): LineFrame {
    const codec = wanted === 'L16' && wide ? 'L16' : this.law;
    if (this.current?.codec !== codec) {
      this.current?.suppressor.close();
      this.current = { codec, suppressor: this.hearing.noiseSuppressor(codec) };
    }
    const { suppressor } = this.current;
    return codec === 'L16'
      ? { narrow, wide: suppressor.pass(wide!) }
      : { narrow: suppressor.pass(narrow), wide: undefined };
  }

  close(): void {
    this.current?.suppressor.close();
  }
}

/**
 * The last frames in a ring of copies: a received frame that is kept for 600 ms survives two collections of V8's young generation, and
 * moves to the old one. The ring grows during speech.
 */
class KeptFrames {
  private narrow = Buffer.allocUnsafeSlow(LEAST_KEPT * FRAME_BYTES);
  private wide: (Buffer | undefined)[] = [];
  private capacity = LEAST_KEPT;
  private first = 0;
  private count = 0;

  get length(): number {
    return this.count;
  }

  push({ narrow, wide }: LineFrame): void {
    if (this.count === this.capacity) this.resize(2 * this.capacity);
    const at = (this.first + this.count++) % this.capacity;
    this.narrow.set(narrow, at * FRAME_BYTES);
    if (wide || this.wide.length > 0) this.wide[at] = wide;
  }

  /** Drops the oldest frames until so many are left. */
  limit(count: number): void {
    const surplus = this.count - count;
    if (surplus <= 0) return;
    this.first = (this.first + surplus) % this.capacity;
    this.count = count;
    if (count < LEAST_KEPT && this.capacity > LEAST_KEPT) this.resize(LEAST_KEPT);
  }

  copies(): LineFrame[] {
    return Array.from({ length: this.count }, (_, index) => {
      const at = (this.first + index) % this.capacity;
      const narrow = this.narrow.subarray(at * FRAME_BYTES, (at + 1) * FRAME_BYTES);
      return { narrow: Buffer.from(narrow), wide: this.wide[at] };
    });
  }

  /** Without an object per frame, which would fill V8's old generation. */
  private resize(capacity: number): void {
    const narrow = Buffer.allocUnsafeSlow(capacity * FRAME_BYTES);
    const untilEnd = Math.min(this.count, this.capacity - this.first);
    this.narrow.copy(narrow, 0, this.first * FRAME_BYTES, (this.first + untilEnd) * FRAME_BYTES);
    this.narrow.copy(narrow, untilEnd * FRAME_BYTES, 0, (this.count - untilEnd) * FRAME_BYTES);
    if (this.wide.length > 0)
      this.wide = Array.from({ length: this.count }, (_, index) => this.wide[(this.first + index) % this.capacity]);
    this.narrow = narrow;
    this.capacity = capacity;
    this.first = 0;
  }
}

/** The user's audio before the current frame. */
interface HeardSoFar {
  /** It may belong to unprocessed speech. */
  matters: boolean;
  /** 0: the last frame was voice. */
  silenceMs: number;
}

/** With the current frame, less than the shortest silence that a provider may be configured to end a turn after (100 ms). */
const ENDS_NO_TURN_MS = 60;

/**
 * How long a frame may wait for the next ones. The pauses of an unprocessed turn may end it, so from 80 ms on they are sent at once; a voice
 * that begins sends the silence before it.
 */
function patienceOf({ matters, silenceMs }: HeardSoFar): AudioPatience {
  if (silenceMs === 0 || (matters && silenceMs < ENDS_NO_TURN_MS)) return 80;
  return matters ? 0 : 180;
}

/**
 * The user's audio on its way to the provider. Unprocessed audio is kept and replayed to the next connection faster than real time, so
 * that no speech during an outage is lost.
 */
export class UserAudio {
  private readonly kept = new KeptFrames();
  /** Of the current connection. */
  private codec: LineCodec;
  private readonly widening: Widening;
  /** When the last frame ended. */
  private until = 0;
  /** When the first frame that was sent over this connection began. */
  private origin: number | undefined;

  constructor(
    private readonly clock: Clock,
    codec: G711,
    /** Before the provider only: the session's own detection hears the line as it is. */
    private readonly suppressors?: Suppressors,
  ) {
    this.codec = codec;
    this.widening = new Widening(codec);
  }

  static on(codec: G711, clock: Clock, { settings, hearing }: Pick<SessionOptions, 'settings' | 'hearing'>): UserAudio {
    const suppresses = settings.hearing?.noiseSuppression === true && hearing !== undefined;
    return new UserAudio(clock, codec, suppresses ? new Suppressors(codec, hearing) : undefined);
  }

  /** To be called at the end of the call. */
  close(): void {
    this.suppressors?.close();
  }

  /** Takes the last 20 ms. */
  push(heard: LineFrame, connection: VoiceConnection | undefined, now: HeardSoFar): void {
    const frame = this.suppressors?.pass(heard, this.codec) ?? heard;
    this.until = this.clock.now();
    this.kept.push(frame);
    this.kept.limit(now.matters || !connection ? MAX_FRAMES : QUIET_FRAMES);
    if (!connection) return;
    this.origin ??= this.until - FRAME_MS;
    this.send(connection, frame, patienceOf(now));
  }

  /** The connection was lost; audio before `since` has been processed. */
  lost(since: number): void {
    this.origin = undefined;
    this.kept.limit(Math.max(0, Math.ceil((this.until - since + BEFORE_SPEECH_MS) / FRAME_MS)));
  }

  /** Replays the kept audio to a new connection. */
  connected(connection: VoiceConnection, codec: LineCodec): void {
    this.codec = codec;
    this.origin = this.kept.length > 0 ? this.until - this.kept.length * FRAME_MS : undefined;
    for (const frame of this.kept.copies()) this.send(connection, frame);
  }

  private send(connection: VoiceConnection, { narrow, wide }: LineFrame, mayWait: AudioPatience = 0): void {
    connection.sendAudio(this.codec === 'L16' ? (wide ?? this.widening.of(narrow)) : narrow, mayWait);
  }

  /** Whether speech began just now; speech that is replayed to a connection may be older than the playing audio. */
  isNow(startedAt: number): boolean {
    return this.clock.now() - startedAt < LATEST_START_MS;
  }

  /** The clock's time of a position in this connection's audio. */
  timeOf(audioMs: number): number {
    return (this.origin ?? this.clock.now()) + audioMs;
  }
}
