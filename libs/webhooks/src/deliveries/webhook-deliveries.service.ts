import { type Acting, AuditService } from '@app/audit';
import { Conflict, NotFound } from '@app/common';
import { Database, type ListCursor, type ListPage, type ListSlice, writeCursor } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { Injectable } from '@nestjs/common';
import {
  deliveryDetails,
  type DeliveryDetails,
  type DeliveryRow,
  deliveryView,
  type DeliveryView,
} from '../presenters/delivery.presenter.js';
import {
  type ActionDelivery,
  type DeliveryFilter,
  WebhookDeliveriesRepository,
} from './webhook-deliveries.repository.js';
import { WebhookEndpointsRepository } from '../endpoints/webhook-endpoints.repository.js';
import { type ReplayChunk, type ReplayRange, WebhookReplaysRepository } from './webhook-replays.repository.js';

/** Deliveries of one transaction, which holds the locks of their streams. */
const CHUNK = 500;
/** Deliveries of one request, which takes about a second; the next request continues. */
const MAX_REPLAYED = 10_000;

export interface RangeReplay {
  /** Number of replayed deliveries. */
  replayed: number;
  /** Number of deliveries that were not replayed because their endpoint is disabled. */
  skipped: number;
  /** The cursor of the next request; null: the range is complete. */
  next: string | null;
}

/** The log of webhooks and queued tool actions, and their replay. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly database: Database,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly replays: WebhookReplaysRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly audit: AuditService,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /** A numbered page, newest first, with the total. */
  page(
    accountId: number,
    filter: DeliveryFilter,
    place: { page: number; perPage: number },
  ): Promise<ListPage<DeliveryRow>> {
    return this.deliveries.page(accountId, filter, place);
  }

  /** The deliveries beside a cursor (without one: the newest), newest first. */
  slice(
    accountId: number,
    filter: DeliveryFilter,
    place: { cursor?: ListCursor; perPage: number },
  ): Promise<ListSlice<DeliveryRow>> {
    return this.deliveries.slice(accountId, filter, place);
  }

  /** With the text that is sent and its last 30 attempts. Throws NotFound when the account has no such delivery. */
  async find(accountId: number, id: string): Promise<DeliveryDetails> {
    const found = await this.deliveries.findWithAttempts(accountId, id);
    if (!found) throw new NotFound('Webhook delivery');
    return deliveryDetails(found);
  }

  /** The deliveries of queued actions by their ids. */
  async ofActions(
    accountId: number,
    ids: readonly string[],
    answerLength: number,
  ): Promise<ReadonlyMap<string, ActionDelivery>> {
    if (ids.length === 0) return new Map();
    const found = await this.deliveries.ofActions(accountId, ids, answerLength);
    return new Map(found.map((delivery) => [delivery.id, delivery]));
  }

  /**
   * Sends a delivery again with the same `webhook-id`, regardless of its state.
   * @throws NotFound when the account has no such delivery, Conflict when its endpoint is disabled, or when it is a pre-call webhook.
   */
  async replay({ accountId, actor }: Acting, id: string): Promise<DeliveryView> {
    const replayed = await this.database.entityTransaction(async (tx) => {
      const found = await this.deliveries.find(accountId, id, tx);
      if (!found) throw new NotFound('Webhook delivery');
      if (found.type === 'pre-call') throw new Conflict('A pre-call webhook is not replayed: its call has gone on.');
      if (await this.endpoints.isDisabled(accountId, found.url, tx.manager)) {
        throw new Conflict('The endpoint of the delivery is disabled. Enable it first.');
      }
      const subject = { kind: 'webhook_delivery', id };
      await this.audit.record({ accountId, actor, action: 'webhook_delivery.replayed', subject }, tx);
      await this.replays.makeDue(accountId, id, tx);
      return (await this.deliveries.find(accountId, id, tx)) ?? found;
    });
    this.wakeUps.wake('webhooks');
    return deliveryView(replayed);
  }

  /**
   * Replays the deliveries of a period, the oldest first, 10,000 at most, in transactions of 500.
   */
  async replayRange(acting: Acting, range: ReplayRange, cursor?: ListCursor): Promise<RangeReplay> {
    const sum: RangeReplay = { replayed: 0, skipped: 0, next: null };
    let after = cursor;
    let complete = false;
    for (let left = MAX_REPLAYED; left > 0 && !complete; left -= CHUNK) {
      const limit = Math.min(CHUNK, left);
      const chunk = await this.replayChunk(acting, range, { limit, after });
      sum.replayed += chunk.replayed;
      sum.skipped += chunk.skipped;
      complete = chunk.seen < limit || chunk.last_micros === null || chunk.last_id === null;
      after = { micros: chunk.last_micros ?? '', id: chunk.last_id ?? '', direction: 'newer' };
    }
    if (sum.replayed > 0) this.wakeUps.wake('webhooks');
    return { ...sum, next: complete || !after ? null : writeCursor(after) };
  }

  private async replayChunk(
    { accountId, actor }: Acting,
    range: ReplayRange,
    place: { limit: number; after?: ListCursor },
  ): Promise<ReplayChunk> {
    const chunk = await this.database.transaction(async (tx) => {
      const found = await this.replays.replayChunk(accountId, range, place, tx);
      const replayed = found.replayed + found.busy.length;
      const details = { count: replayed, ...range };
      if (replayed > 0)
        await this.audit.record({ accountId, actor, action: 'webhook_deliveries.replayed', details }, tx);
      return { ...found, replayed };
    });
    // One at a time, without another lock: these statements may wait.
    for (const id of chunk.busy) await this.replays.makeDue(accountId, id);
    return chunk;
  }
}
