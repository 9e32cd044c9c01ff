import type { ConversationLog, OpenTurn } from './conversation-log.js';
import type { ProviderLink } from './provider-link.js';
import { speechOf } from './transcript.js';

/** A callee item whose end or words may still come. */
interface UserTurn extends OpenTurn {
  endedMs: number | undefined;
}

/** More than anybody says without an end: a server that only ever tells of beginnings. */
const MAX_OPEN = 64;
/** Words that have not come by then do not come any more: they are not waited for when the connection is lost. */
const LATEST_WORDS_MS = 5_000;
/** As near as the same speech is found again by another connection. */
const SAME_SPEECH_MS = 1_000;

/** What the callee says, out of the items of a provider. */
export class UserTurns {
  private readonly open = new Map<string, UserTurn>();
  /** What a lost connection was listening to, until another one has heard it again. */
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

  /** A turn that nobody but the session heard: before it was known whether a human speaks. */
  spoke(startedAt: number, stoppedAt: number): void {
    const turn = { ...this.log.openTurn('callee', this.log.at(startedAt)), text: speechOf(stoppedAt - startedAt) };
    this.log.closeTurn('callee', turn, this.log.at(stoppedAt), false);
  }

  get speaks(): boolean {
    return [...this.open.values()].some((turn) => turn.endedMs === undefined);
  }

  /** Something that was said has not been put into words, and may still be. */
  get awaited(): boolean {
    const since = this.log.nowMs - LATEST_WORDS_MS;
    return [...this.open.values()].some(({ endedMs }) => endedMs === undefined || endedMs >= since);
  }

  /** Nobody listens any more. Returns when what has to be heard again began, by the clock; undefined: nothing has. */
  connectionLost(): number | undefined {
    const since = this.log.nowMs - LATEST_WORDS_MS;
    for (const [itemId, turn] of this.open) if ((turn.endedMs ?? since) < since) this.close(itemId, turn);
    const endedMs = this.log.nowMs;
    this.adrift.push(...[...this.open.values()].map((turn) => ({ ...turn, endedMs: turn.endedMs ?? endedMs })));
    this.open.clear();
    const [first] = this.adrift;
    return first && this.log.timeOf(first.startedMs);
  }

  /** Ends what the callee was saying, or what still waits for its words: the call is over. */
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
