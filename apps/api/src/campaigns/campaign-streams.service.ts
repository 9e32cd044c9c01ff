import { PeopleAuthenticationService, type Principal } from '@app/auth';
import { type CampaignProgressView, CampaignProgressService } from '@app/campaigns';
import { type Log, NotFound, type PeriodicTask, runPeriodically } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';
import { EventConnection, OpenStreams } from '../http/responses/event-streams.js';

const POLL_MS = 1_000;

/** One client that follows the progress of a campaign. A client that does not read gets the latest progress afterwards. */
class ProgressStream {
  private readonly connection: EventConnection;
  private last = '';

  constructor(response: Response, closed: () => void) {
    this.connection = new EventConnection(response, { closed });
  }

  show(progress: CampaignProgressView): void {
    const text = JSON.stringify(progress);
    if (this.connection.isFull || text === this.last) return;
    this.last = text;
    this.connection.write({ event: 'progress', data: progress });
  }

  end(): void {
    this.connection.end();
  }
}

interface Watched {
  accountId: number;
  campaignId: number;
  streams: Set<ProgressStream>;
}

/** Reads the progress of watched campaigns once a second, once for all clients of a campaign. */
@Injectable()
export class CampaignStreamsService implements OnModuleDestroy {
  private readonly open: OpenStreams;
  private readonly watched = new Map<number, Watched>();
  private polling: PeriodicTask | undefined;

  constructor(
    private readonly progress: CampaignProgressService,
    people: PeopleAuthenticationService,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.open = new OpenStreams(people, log);
  }

  /** Streams `progress` and every change of it until the campaign has ended. Throws 429 or 503 when there are too many streams. */
  start(user: Principal, progress: CampaignProgressView, response: Response): void {
    const { campaign_id: campaignId } = progress;
    this.open.add(user, response, () => {
      const watched = this.watched.get(campaignId) ?? { accountId: user.accountId, campaignId, streams: new Set() };
      const stream = new ProgressStream(response, () => this.remove(watched, stream));
      watched.streams.add(stream);
      this.watched.set(campaignId, watched);
      stream.show(progress);
      if (hasEnded(progress)) stream.end();
      this.polling ??= runPeriodically(POLL_MS, () => this.poll(), this.log);
      return stream;
    });
  }

  onModuleDestroy(): void {
    this.open.endAll();
  }

  private remove(watched: Watched, stream: ProgressStream): void {
    watched.streams.delete(stream);
    if (watched.streams.size === 0) this.watched.delete(watched.campaignId);
    if (this.watched.size > 0) return;
    void this.polling?.stop();
    this.polling = undefined;
  }

  private async poll(): Promise<void> {
    for (const { accountId, campaignId, streams } of this.watched.values()) {
      const progress = await this.progress.find(accountId, campaignId).catch((error: unknown) => {
        if (error instanceof NotFound) return undefined;
        throw error;
      });
      for (const stream of streams) {
        if (progress) stream.show(progress);
        if (!progress || hasEnded(progress)) stream.end();
      }
    }
  }
}

/** Nothing changes any more. */
const hasEnded = ({ status, contacts }: CampaignProgressView): boolean =>
  (status === 'completed' || status === 'cancelled') && contacts.calling === 0;
