import { PeopleAuthenticationService, type Principal } from '@app/auth';
import {
  CallEventPollerService,
  type CallEventView,
  type CallWatcher,
  CallWordsService,
  type RunningTurn,
  type Watching,
} from '@app/calls';
import { isoTime, type Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';
import { EventConnection, OpenStreams } from '../../http/responses/event-streams.js';
import { TURN_WORDS } from './call-events.dto.js';

/** One client that watches a call by server-sent events. The watcher pauses while the connection is full. */
export class EventStream implements CallWatcher {
  private readonly connection: EventConnection;
  private watching: Watching | undefined;
  private stopWords = (): void => undefined;
  /** The written words of the running turns. */
  private spoken = new Map<number, string>();
  private readonly endedTurns = new Set<unknown>();

  constructor(
    readonly accountId: number,
    readonly callId: string,
    readonly after: number,
    response: Response,
  ) {
    this.connection = new EventConnection(response, {
      drained: () => this.watching?.resume(),
      closed: () => {
        this.stopWords();
        this.watching?.stop();
      },
    });
  }

  /** Without `words` the stream has events only. */
  follow(poller: Pick<CallEventPollerService, 'watch'>, words?: Pick<CallWordsService, 'follow'>): void {
    if (words) this.stopWords = words.follow(this);
    this.watching = poller.watch(this);
  }

  /** Words have no number: a client that reconnects gets the next ones. A client that does not read misses them. */
  words(turns: readonly RunningTurn[]): void {
    for (const { turn, role, text, started_ms } of turns) {
      if (this.connection.isFull || this.endedTurns.has(turn) || this.spoken.get(turn) === text) continue;
      const data = { type: TURN_WORDS, at: isoTime(new Date()), data: { turn, role, text, started_ms } };
      this.connection.write({ event: TURN_WORDS, data });
    }
    this.spoken = new Map(turns.map(({ turn, text }) => [turn, text]));
  }

  take({ seq, type, at, data }: CallEventView): boolean {
    if (type === 'turn') this.endedTurns.add(data['turn']);
    return this.connection.write({ id: seq, event: type, data: { seq, type, at, data } });
  }

  /** Closes the connection after the written events are sent, or immediately if the client does not read. */
  end(): void {
    this.connection.end();
  }
}

/** The open event streams of this process. The poller ends them before the server closes. */
@Injectable()
export class CallStreamsService implements OnModuleDestroy {
  private readonly streams: OpenStreams;

  constructor(
    private readonly poller: CallEventPollerService,
    private readonly words: CallWordsService,
    people: PeopleAuthenticationService,
    @Inject(LOG) log: Log,
  ) {
    this.streams = new OpenStreams(people, log);
  }

  /** Streams the events after number `after` until the call ends. Throws 429 or 503 when there are too many streams. */
  start(user: Principal, call: { callId: string; after: number; hasWords: boolean }, response: Response): void {
    this.streams.add(user, response, () => {
      const stream = new EventStream(user.accountId, call.callId, call.after, response);
      stream.follow(this.poller, call.hasWords ? this.words : undefined);
      return stream;
    });
  }

  onModuleDestroy(): void {
    this.streams.stopChecks();
  }
}
