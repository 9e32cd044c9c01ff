import type { ConversationLog, OpenTurn } from './conversation-log.js';
import type { ProviderLink } from './provider-link.js';
import { speechOf } from './transcript.js';

/** A turn of the user whose end or words may still arrive. */
interface UserTurn extends OpenTurn {
  endedMs: number | undefined;
}

/** More open turns than speech can have; bounds a server that reports only beginnings. */
const MAX_OPEN = 64;
/** Words that are later than this are not waited for after the connection was lost. */
const LATEST_WORDS_MS = 5_000;
/** Speech that begins within this time after a pending turn's end is that turn, detected again by another connection. */
const SAME_SPEECH_MS = 1_000;

/** The user's turns, from the items of the providers. */
export class UserTurns {
  private readonly open = new Map<string, UserTurn>();
  /** Turns of a lost connection, until the next connection has detected them again. */
  private adrift: (UserTurn & { endedMs: number })[] = [];

  constructor(
    private readonly log: ConversationLog,
    private readonly link: Pick<ProviderLink, 'provider'>,
  ) {}

  /** Times are the clock's. */
  started(itemId: string, startedAt: number): void {
    const startedMs = this.log.at(startedAt);
    const again = this.sameSpeech(startedMs);
    const [oldest] = this.open;
    if (oldest && this.open.size >= MAX_OPEN) this.close(...oldest);
    const turn = again ?? this.log.openTurn('callee', startedMs);
    this.open.set(itemId, { ...turn, text: '', endedMs: undefined });
    if (!again) this.log.write({ type: 'speech_started' });
  }

  stopped(itemId: string, stoppedAt: number): void {
    const turn = this.open.get(itemId);
    if (!turn) return;
    turn.endedMs = Math.max(turn.startedMs, this.log.at(stoppedAt));
    this.log.write({ type: 'speech_stopped', duration_ms: turn.endedMs - turn.startedMs });
    if (!this.link.provider.capabilities.transcribesUser || turn.text) this.close(itemId, turn);
  }

  words(itemId: string, text: string): void {
    const turn = this.open.get(itemId);
    if (!turn) return;
    turn.text = text;
    if (turn.endedMs !== undefined) this.close(itemId, turn);
  }

  /** Records a turn that only the session heard, during the screening. */
  spoke(startedAt: number, stoppedAt: number): void {
    const turn = { ...this.log.openTurn('callee', this.log.at(startedAt)), text: speechOf(stoppedAt - startedAt) };
    this.log.closeTurn('callee', turn, this.log.at(stoppedAt), false);
  }

  get speaks(): boolean {
    return [...this.open.values()].some((turn) => turn.endedMs === undefined);
  }

  /** Speech is not transcribed yet, and its words may still arrive. */
  get awaited(): boolean {
    const since = this.log.nowMs - LATEST_WORDS_MS;
    return [...this.open.values()].some(({ endedMs }) => endedMs === undefined || endedMs >= since);
  }

  /** The connection was lost. Returns when the speech that must be replayed began, by the clock; undefined: none. */
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

  private write(turn: OpenTurn, endedMs: number): void {
    const text = turn.text || speechOf(endedMs - turn.startedMs);
    this.log.closeTurn('callee', { ...turn, text }, endedMs, false);
  }
}
