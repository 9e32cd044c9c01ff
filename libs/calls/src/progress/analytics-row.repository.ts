/**
 * Adds the rows of analytics that ended calls have, from a table or CTE with the columns of `calls`. The worker completes them with what
 * is in the events. A call that has its row already is left as it is.
 */
export const analyticsInsert = (source: string): string => `
      INSERT INTO analytics_calls (call_id, account_id, agent_id, agent_version, campaign_id, number_id, trunk_id, direction, channel, outcome, cause,
        answered_by, created_at, started_at, answered_at, ended_at, queue_ms, cost_micros, transfers, transfers_connected, is_test)
      SELECT id, account_id, agent_id, agent_version, campaign_id, number_id, trunk_id, direction, channel, status, hangup_cause, answered_by,
          created_at, started_at, answered_at, ended_at,
          (extract(epoch FROM coalesce(served_at, queue_left_at, ended_at) - queued_at) * 1000)::integer, cost_micros, jsonb_array_length(transfers),
          (SELECT count(*) FROM jsonb_array_elements(transfers) AS t
            WHERE t ->> 'joined_at' IS NOT NULL OR t ->> 'status' IN ('in_progress', 'completed')),
          coalesce(metadata ? 'test_run', false)
        FROM ${source}
      ON CONFLICT (call_id) DO NOTHING`;

/** Has the worker count calls anew, whose ids `source` names as `recounted.call_id`. */
export const analyticsRecount = (source: string): string =>
  `UPDATE analytics_calls SET pending = true FROM ${source} WHERE analytics_calls.call_id = recounted.call_id`;
