import type { DialersService, LiveCall } from '@app/calls';
import type { Log } from '@app/common';
import type { CallRun } from './call-run.js';

/**
 * A session ends its call at the limit. A call that is this much over its limit hangs, and gets a BYE. After its end a call may still
 * store its recording, write its summary and wait for the database; a call that takes longer has failed.
 */
const HANG_UP_AFTER_S = 60;
const GIVE_UP_AFTER_S = 300;

interface WatchedCalls {
  dialers: DialersService;
  log: Log;
  runs: Map<string, CallRun>;
}

/**
 * Compares the live calls of this dialer in the database with its runs: a call without a run (its end could not be written, or the
 * response to its claim was lost) is ended; an overdue call is hung up, and ended when that does not help.
 */
export class CallWatchdog {
  /** Calls without a run in the last round: a call that was claimed just now may not have started its run. */
  private suspects = new Set<string>();

  constructor(
    private readonly watched: WatchedCalls,
    private readonly owner: string,
  ) {}

  async look(): Promise<void> {
    const { runs, log, dialers } = this.watched;
    const calls = await dialers.liveCalls(this.owner);
    const without = calls.filter(({ id }) => !runs.has(id)).map(({ id }) => id);
    const late = calls.filter((call) => runs.has(call.id) && call.overdue_seconds > HANG_UP_AFTER_S);
    for (const { id } of late) {
      log.error({ call_id: id }, 'a call that should be over long since is hung up');
      runs.get(id)?.hangUp('max_duration');
    }
    await this.end([...without.filter((id) => this.suspects.has(id)), ...late.filter(isHopeless).map(({ id }) => id)]);
    this.suspects = new Set(without);
  }

  private async end(ids: string[]): Promise<void> {
    if (ids.length > 0) await this.watched.dialers.endForgottenCalls(this.owner, ids);
  }
}

const isHopeless = ({ overdue_seconds: late }: LiveCall): boolean => late > GIVE_UP_AFTER_S;
