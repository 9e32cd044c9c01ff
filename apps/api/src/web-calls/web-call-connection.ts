import type {
  CallEventPollerService,
  CallEventView,
  CallWatcher,
  CallWordsService,
  RunningTurn,
  Watching,
} from '@app/calls';
import { createDeferred } from '@app/common';
import type { WebSocket } from 'ws';
import { FrameRelay } from '../sockets/frame-relay.js';
import { SOCKET_CODES } from '../sockets/socket-closing.js';

/** The final status of a call follows the end of its audio when its recording is stored. */
const FINAL_STATUS_MS = 5_000;

/** What a visitor of a page is told. The reasons for the operator are in the call. */
const ENDINGS: Readonly<Record<string, string>> = {
  concurrency_limit: 'All lines are taken at the moment. Try again in a minute.',
  spend_limit: 'No calls are possible at the moment. Try again later.',
  max_duration: 'The call reached its maximum length.',
  agent_provider_error: 'The agent cannot speak at the moment. Try again later.',
  media_timeout: 'The connection was lost.',
  recording_refused: 'The call has ended, because it must be recorded.',
  deactivated: 'The agent does not take calls at the moment.',
  drained: 'The call was interrupted. Call again.',
  worker_lost: 'The call was interrupted. Call again.',
  transferred: 'The call has ended after its transfer.',
};
const ENDED = 'The call has ended.';

interface ConnectedCall {
  accountId: number;
  callId: string;
  /** Statuses up to this event are known to the page: it resumes the call. Turns are sent again, with their numbers. */
  knownUntil: number;
}

/** The connection of a page to its web call: audio and messages of the dialer, and what the api knows from the events of the call. */
export class WebCallConnection implements CallWatcher {
  readonly accountId: number;
  readonly callId: string;
  readonly after = 0;
  private readonly knownUntil: number;
  private readonly relay: FrameRelay;
  private readonly watching: Watching;
  private readonly stopWords: () => void;
  private spoken = new Map<number, string>();
  private readonly endedTurns = new Set<unknown>();
  private status: unknown;
  private hasEnded = false;
  /** Resolves when the final status was sent. */
  private readonly ended = createDeferred();

  constructor(
    { page, dialer }: { page: WebSocket; dialer: WebSocket },
    { accountId, callId, knownUntil }: ConnectedCall,
    sources: { poller: Pick<CallEventPollerService, 'watch'>; words: Pick<CallWordsService, 'follow'> },
  ) {
    this.accountId = accountId;
    this.callId = callId;
    this.knownUntil = knownUntil;
    this.relay = new FrameRelay(page, dialer, {
      route: 'web_call',
      dialerText: (text) => this.note(text),
      dialerClosed: (code) => this.dialerClosed(code),
      pageClosed: () => this.stop(),
    });
    this.stopWords = sources.words.follow(this);
    this.watching = sources.poller.watch(this);
  }

  /** The process stops: the page connects again. */
  close(code: number): void {
    this.relay.close(code);
    this.stop();
  }

  take({ seq, type, data }: CallEventView): boolean {
    if (type === 'turn') this.finalTurn(data);
    if (type === 'status' && seq > this.knownUntil) this.statusOf(data);
    return true;
  }

  words(turns: readonly RunningTurn[]): void {
    for (const { turn, role, text } of turns) {
      if (this.endedTurns.has(turn) || this.spoken.get(turn) === text) continue;
      this.relay.send({ type: 'transcript', role, text, final: false, turn });
    }
    this.spoken = new Map(turns.map(({ turn, text }) => [turn, text]));
  }

  end(): void {
    this.ended.resolve();
  }

  private finalTurn({ turn, role, text }: Record<string, unknown>): void {
    this.endedTurns.add(turn);
    this.relay.send({ type: 'transcript', role, text, final: true, turn });
  }

  private statusOf({ status, hangup_cause: cause }: Record<string, unknown>): void {
    if (cause === undefined) {
      if (status !== this.status) this.relay.send({ type: 'status', status });
      this.status = status;
      return;
    }
    if (!this.hasEnded)
      this.relay.send({
        type: 'ended',
        status,
        cause,
        message: (typeof cause === 'string' ? ENDINGS[cause] : undefined) ?? ENDED,
      });
    this.hasEnded = true;
    this.ended.resolve();
  }

  /** The dialer tells a status at once, and its event comes later. */
  private note(text: string): void {
    const [, type] = /"type":"(status|ended)"/.exec(text) ?? [];
    if (type === 'status') this.status = (JSON.parse(text) as { status?: unknown }).status;
    if (type === 'ended') this.hasEnded = true;
  }

  private async dialerClosed(code: number): Promise<number> {
    if (code !== SOCKET_CODES.normal) return code;
    const timer = setTimeout(() => this.ended.resolve(), FINAL_STATUS_MS);
    await this.ended.promise;
    clearTimeout(timer);
    return code;
  }

  private stop(): void {
    this.watching.stop();
    this.stopWords();
    this.ended.resolve();
  }
}
