import { isoTime, usd } from '@app/common';
import type { AccountRow } from './records/calls-in-progress.repository.js';

const dollars = (micros: string): number => usd(Number(micros));

/** An account as the API shows it, with its usage. */
export const accountView = (row: AccountRow) => ({
  id: row.id,
  name: row.name,
  default_country: row.default_country,
  limits: {
    concurrent_calls: row.concurrent_calls,
    calls_per_second: row.calls_per_second,
    queued_calls: row.queued_calls,
    requests_per_minute: row.requests_per_minute,
    daily_spend_usd: row.daily_spend_micros === null ? null : dollars(row.daily_spend_micros),
    storage_bytes: row.storage_bytes === null ? null : Number(row.storage_bytes),
    destinations: { allow: row.destinations_allow, deny: row.destinations_deny },
  },
  contact_limits: {
    attempts_per_day: row.contact_attempts_per_day,
    attempts_per_week: row.contact_attempts_per_week,
    earliest: row.contact_earliest,
    latest: row.contact_latest,
    time_zone: row.contact_time_zone,
  },
  retention: {
    recordings_days: row.recordings_days,
    transcripts_days: row.transcripts_days,
    deliveries_days: row.deliveries_days,
    documents_days: row.documents_days,
  },
  redaction: row.redaction,
  announce_listeners: row.announce_listeners,
  spend: { today_usd: dollars(row.spent_micros), resets_at: isoTime(row.resets_at) },
  storage: { used_bytes: Number(row.used_bytes) },
  calls: { queued: row.queue_length, scheduled: row.scheduled_calls, live: row.live_calls },
  has_sign_in: row.has_sign_in,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
});

export type AccountView = ReturnType<typeof accountView>;
