import type { Log } from '@app/common';
import { Database, type EntityTransaction } from '@app/database';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import type { CampaignEntity } from './campaign.entity.js';
import { CampaignAnnouncementsService } from './campaign-announcements.service.js';
import { CampaignReleaseService } from './campaign-release.service.js';
import { CampaignSettlementService } from './campaign-settlement.service.js';
import { CampaignTurnsService } from './campaign-turns.service.js';
import type { CampaignTurn } from './domain/campaign-turn.js';

/** Without a wake-up, campaigns are looked at this often. */
const IDLE_MS = 1_000;
/** Between two rounds, so that calls per second are created in groups. */
const MIN_MS = 50;
/** Campaigns of one worker that are looked at together: each holds a connection. */
const LANES = 3;

type Turn = CampaignTurn<CampaignEntity>;

/**
 * Runs campaigns: creates calls for contacts that are due, and settles their outcomes. All workers look at all campaigns; the lock on the
 * row of a campaign gives each turn to one of them, and every decision is committed with its calls, contacts and counters.
 */
@Injectable()
export class CampaignRunnerService {
  private running?: Promise<void>;
  private stopped = false;
  private isWoken = false;
  private endPause?: () => void;

  constructor(
    private readonly database: Database,
    private readonly turns: CampaignTurnsService,
    private readonly settlement: CampaignSettlementService,
    private readonly releases: CampaignReleaseService,
    private readonly announcements: CampaignAnnouncementsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  start(): void {
    this.running ??= this.loop();
  }

  /** Call when something may be due. */
  wake(): void {
    this.isWoken = true;
    this.endPause?.();
  }

  /** Resolves when the present turns are committed. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wake();
    await this.running;
  }

  private async loop(): Promise<void> {
    while (!this.stopped) {
      this.isWoken = false;
      const waitMs = await this.round().catch((err: unknown) => {
        this.log.warn({ err }, 'the campaigns could not be read and are looked at again');
        return IDLE_MS;
      });
      await this.pause(Math.min(Math.max(waitMs, MIN_MS), IDLE_MS));
    }
  }

  private async pause(ms: number): Promise<void> {
    if (this.stopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.isWoken ? Math.min(ms, MIN_MS) : ms);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endPause = undefined;
  }

  /** One turn of each campaign that has work. Returns the milliseconds until there is something to do. */
  private async round(): Promise<number> {
    // In a random order, so that no campaign of an account is always the first.
    const ids = (await this.turns.withWork()).sort(() => Math.random() - 0.5);
    const waits: number[] = [];
    const lane = async (): Promise<void> => {
      for (let id = ids.pop(); id !== undefined && !this.stopped; id = ids.pop()) waits.push(await this.turnOf(id));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return Math.min(IDLE_MS, ...waits);
  }

  private async turnOf(id: number): Promise<number> {
    try {
      const turn = await this.database.entityTransaction((tx) => this.take(id, tx));
      if (!turn) return IDLE_MS;
      if (turn.created > 0) this.announcements.wakeDialers();
      if (turn.created > 0 || turn.event || turn.hasMore) this.announcements.wakeDispatchers();
      return turn.hasMore ? 0 : (turn.waitMs ?? IDLE_MS);
    } catch (err) {
      this.log.error({ err, campaign_id: id }, 'a turn of a campaign failed and is repeated');
      return IDLE_MS;
    }
  }

  private async take(id: number, tx: EntityTransaction): Promise<Turn | undefined> {
    const turn = await this.turns.begin(id, tx);
    if (!turn) return undefined;
    await this.settlement.settle(turn, tx);
    if (turn.campaign.status === 'running') await this.advance(turn, tx);
    else await this.finish(turn, tx);
    await this.turns.end(turn, tx);
    return turn;
  }

  private async advance(turn: Turn, tx: EntityTransaction): Promise<void> {
    const { campaign, now } = turn;
    const { end_at: end } = campaign.schedule;
    const hasEnded = end !== null && new Date(end) <= now;
    if (hasEnded) {
      await this.settlement.recall(turn, 'all', tx);
      await this.settlement.close(turn, 'campaign_ended', tx);
    } else if (campaign.windowsChanged) {
      await this.settlement.reopen(turn, tx);
    } else {
      await this.settlement.recall(turn, 'postponed', tx);
      await this.releases.release(turn, tx);
    }
    if (campaign.status === 'running') await this.turns.completeIfDone(turn, tx);
  }

  /** A paused campaign keeps its waiting contacts, a cancelled one does not. */
  private async finish(turn: Turn, tx: EntityTransaction): Promise<void> {
    const { campaign } = turn;
    if (turn.contactsOf('calling') > 0) await this.settlement.recall(turn, 'all', tx);
    if (campaign.status === 'cancelled') await this.settlement.close(turn, 'campaign_cancelled', tx);
    const waiting = campaign.status === 'cancelled' ? turn.contactsOf('waiting') : 0;
    campaign.hasWork = turn.contactsOf('calling') > 0 || waiting > 0;
  }
}
