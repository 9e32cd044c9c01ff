import { isoTime, timeOrNull } from '@app/common';
import type { CallCommandRow } from '../commands/call-commands.repository.js';

export type CallCommandView = ReturnType<typeof callCommandView>;

/** A command in the API. */
export const callCommandView = (row: CallCommandRow) => ({
  command_id: row.id,
  call_id: row.call_id,
  number: row.seq,
  type: row.type,
  input: row.input,
  status: row.status,
  created_at: isoTime(row.created_at),
  started_at: timeOrNull(row.started_at),
  effective_at: timeOrNull(row.effective_at),
  finished_at: timeOrNull(row.finished_at),
  result: row.result,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
});
