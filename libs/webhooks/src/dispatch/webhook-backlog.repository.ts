import { Database, type QueueLength, queueLength } from '@app/database';
import { Injectable } from '@nestjs/common';

interface WebhookBacklog {
  queue: QueueLength;
  breakersOpen: number;
  endpointsDisabled: number;
}

const QUEUE = {
  name: 'backlog-deliveries',
  from: 'webhook_streams WHERE next_at <= now() AND (lease_until IS NULL OR lease_until < now()) ORDER BY next_at',
  since: 'next_at',
};
const HELD_BACK = {
  name: 'backlog-held-back',
  text: `SELECT (SELECT count(*)::integer FROM webhook_hosts WHERE open_until > now()) AS breakers,
      (SELECT count(*)::integer FROM webhook_endpoints WHERE disabled_at IS NOT NULL) AS disabled`,
};

/** Streams that are due, and what is held back, of the installation, for its metrics. */
@Injectable()
export class WebhookBacklogRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<WebhookBacklog> {
    const queue = await queueLength(this.database, QUEUE);
    const [heldBack] = await this.database.rows<{ breakers: number; disabled: number }>(HELD_BACK);
    return { queue, breakersOpen: heldBack?.breakers ?? 0, endpointsDisabled: heldBack?.disabled ?? 0 };
  }
}
