import { rows, type Sql } from '@app/database';

const AT_ONCE = 500;
/** A run takes two minutes at most (LONGEST_RUN_MS); a process that is still there has long written its end. */
const GIVEN_UP_AFTER = '10 min';

const ERROR = {
  code: 'aborted',
  message: 'The process that ran the tool ended; what it had not sent by then was not sent.',
};

const END = {
  name: 'end-abandoned-invocations',
  text: `UPDATE tool_invocations SET ok = false, result = $1, ended_at = now()
    WHERE id = ANY (ARRAY(SELECT id FROM tool_invocations
      WHERE ended_at IS NULL AND started_at < now() - interval '${GIVEN_UP_AFTER}' ORDER BY started_at LIMIT ${AT_ONCE}))
      AND ended_at IS NULL
    RETURNING id`,
};

/** Ends invocations whose process died in the middle, as failed: 500 at most. Any process may run this. @returns their ids. */
export async function endAbandonedInvocations(sql: Sql): Promise<string[]> {
  const ended = await rows<{ id: string }>(sql, END, [JSON.stringify({ error: ERROR })]);
  return ended.map(({ id }) => id);
}
