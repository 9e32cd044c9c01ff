import { type AnsweredFor, callsAnsweredFor, endForgottenCalls, type Links } from '@app/calls';
import type { Log } from '@app/common';
import type { Pool } from 'pg';
import type { CallRun } from './call-run.js';

/**
 * A session ends its call at the limit by itself. Who is that much over it hangs, and gets a BYE. After its end a call may still
 * store its recording, sum itself up and wait for the database; whoever has not done that by then never will.
 */
const HANG_UP_AFTER_S = 60;
const GIVE_UP_AFTER_S = 300;

export interface WatchedCalls {
  pool: Pool;
  links: Links;
  log: Log;
  runs: Map<string, CallRun>;
}

/**
 * Compares what the database says this dialer has on the line with what it has: a call without a run (its end could not be written,
 * or its claim's answer was lost) is ended, one that should be over long since is hung up, and ended when that does not help.
 */
export class CallWatchdog {
  /** Without a run a round ago, too: one that was claimed just now may be on its way here. */
  private suspects = new Set<string>();

  constructor(
    private readonly watched: WatchedCalls,
    private readonly owner: string,
  ) {}

  async look(): Promise<void> {
    const { runs, log, pool } = this.watched;
    const calls = await callsAnsweredFor(pool, this.owner);
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
    if (ids.length > 0) await endForgottenCalls(this.watched, this.owner, ids);
  }
}

const isHopeless = ({ overdue_seconds: late }: AnsweredFor): boolean => late > GIVE_UP_AFTER_S;
