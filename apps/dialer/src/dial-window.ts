import { dialTime, type OwnedCall } from '@app/calls';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext } from './call/call-context.service.js';
import type { CallRecordsService } from './call/call-records.service.js';

/** The clock of the database released the call: that of this machine may be a little late. */
const NEAR_MS = 2_000;

type ScheduledCall = Pick<CallContext, 'settings' | 'campaign_id'>;

/**
 * Checks the schedule of a claimed call again: the queue, the limits, the pre-call webhook and the budget may have taken hours. A call
 * outside its window returns to the queue (`postponed`). `closed`: it has no window left, or its campaign decides when to call again.
 * `open` may be dialled, unless it was cancelled.
 */
export async function checkWindow(
  records: Pick<CallRecordsService, 'postpone'>,
  call: OwnedCall,
  { settings, campaign_id: campaignId }: ScheduledCall,
  signal: AbortSignal,
): Promise<'open' | 'postponed' | 'closed'> {
  while (!signal.aborted) {
    const now = Date.now();
    const time = dialTime(settings.schedule, new Date(now));
    if (time.kind === 'now') return 'open';
    if (time.kind === 'never') return 'closed';
    const wait = time.at.getTime() - now;
    if (wait > NEAR_MS) {
      if (campaignId !== null) return 'closed';
      return (await records.postpone(call, time.at)) ? 'postponed' : 'open';
    }
    await delay(wait, undefined, { signal }).catch(() => undefined);
  }
  return 'open';
}
