import type { CallFilter } from '@app/calls';
import type { CallStatus } from '@app/database';
import { parseDateOrTime } from '../http/is-date-or-time.js';
import type { ListCallsDto, StatusFilter } from './list-calls.dto.js';

const STATUS: Record<StatusFilter, CallStatus> = {
  pending: 'pending',
  ringing: 'ringing',
  'in-progress': 'in_progress',
  in_progress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  busy: 'busy',
  'no-answer': 'no_answer',
  no_answer: 'no_answer',
  cancelled: 'cancelled',
  canceled: 'cancelled',
};

export const filterOf = (dto: ListCallsDto): CallFilter => ({
  agentId: dto.agent_id,
  numberId: dto.number_id,
  status: dto.status && STATUS[dto.status],
  direction: dto.direction,
  from: dto.date_from === undefined ? undefined : parseDateOrTime(dto.date_from, 'start'),
  to: dto.date_to === undefined ? undefined : parseDateOrTime(dto.date_to, 'end'),
  search: dto.search,
});
