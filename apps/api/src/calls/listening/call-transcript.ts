import {
  type CallEventPollerService,
  type CallEventView,
  type CallWatcher,
  type CallWordsService,
  type RunningTurn,
} from '@app/calls';

/** A message of the WebSockets of a call. `final`: the turn is over. */
interface TranscriptMessage {
  type: 'transcript';
  role: unknown;
  text: unknown;
  final: boolean;
  turn: unknown;
  /** Of a supervisor. */
  name?: unknown;
}

/** Sends the words of a call as they are spoken. Its clients can miss words, and never wait for them. */
export class CallTranscript implements CallWatcher {
  private readonly endedTurns = new Set<unknown>();
  private spoken = new Map<number, string>();
  private readonly stops: (() => void)[];

  constructor(
    readonly accountId: number,
    readonly callId: string,
    /** Events after this number. */
    readonly after: number,
    private readonly send: (message: TranscriptMessage) => void,
    { poller, words }: { poller: Pick<CallEventPollerService, 'watch'>; words: Pick<CallWordsService, 'follow'> },
  ) {
    const stopWords = words.follow(this);
    const watching = poller.watch(this);
    this.stops = [stopWords, () => watching.stop()];
  }

  /** Of running turns. */
  words(turns: readonly RunningTurn[]): void {
    for (const { turn, role, text } of turns)
      if (!this.endedTurns.has(turn) && this.spoken.get(turn) !== text)
        this.send({ type: 'transcript', role, text, final: false, turn });
    this.spoken = new Map(turns.map(({ turn, text }) => [turn, text]));
  }

  take({ type, data }: CallEventView): boolean {
    if (type !== 'turn') return true;
    const { role, text, turn, name } = data;
    this.endedTurns.add(turn);
    this.send({ type: 'transcript', role, text, final: true, turn, ...(name !== undefined && { name }) });
    return true;
  }

  /** The call is over; the dialer ends the connection. */
  end(): void {
    this.stop();
  }

  stop(): void {
    for (const stop of this.stops) stop();
  }
}
