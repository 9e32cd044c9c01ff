import { isTracing } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { OpenDelivery } from '../domain/webhook-stream.js';

const load = (name: string, more = '') => ({
  name,
  text: `SELECT id, stream_id, account_id, call_id, type, event, sequence, method, url, headers_sealed, body, request_sealed, state, attempts,
      slow_tries, extract(epoch FROM next_at - now())::double precision * 1000 AS due_in_ms${more}
    FROM webhook_deliveries d WHERE stream_id = ANY ($1::bigint[]) AND state IN ('pending', 'slow')`,
});

const LOAD = load('load-webhook-deliveries');

/**
 * Tables: webhook_deliveries, and calls of libs/calls for the span that continues the trace of the call. Dispatchers read it with the
 * deliveries: it would be one more round trip of each claim.
 */
const LOAD_TRACED = load(
  'load-traced-webhook-deliveries',
  ', (SELECT c.trace_parent FROM calls c WHERE c.id = d.call_id) AS trace_parent',
);

/** What dispatchers send. Prepared: it is read after each claim. */
@Injectable()
export class OpenDeliveriesRepository {
  constructor(private readonly database: Database) {}

  /** The open deliveries of streams, by stream id. A separate statement after the claim: its snapshot contains every commit before it. */
  async ofStreams(streamIds: string[]): Promise<Map<string, OpenDelivery[]>> {
    const found = await this.database.rows<OpenDelivery>(isTracing() ? LOAD_TRACED : LOAD, [streamIds]);
    const streams = new Map<string, OpenDelivery[]>();
    for (const delivery of found) {
      const own = streams.get(delivery.stream_id);
      if (own) own.push(delivery);
      else streams.set(delivery.stream_id, [delivery]);
    }
    return streams;
  }
}
