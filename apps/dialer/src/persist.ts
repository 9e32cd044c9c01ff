import type { Log } from '@app/common';
import { setTimeout as delay } from 'node:timers/promises';

const WAITS_MS = [100, 200, 500, 1_000, 2_000, 4_000, 8_000, 14_000];

/** SQLSTATE classes of what another try cannot mend: data exceptions, constraints, wrong statements. */
const PERMANENT = /^(22|23|42)/;

/**
 * A live call goes on while the database restarts: what happened to it is written as soon as that works again. Gives up
 * (and throws) after about half a minute, when the call's lease is long gone and a sweeper has ended it; at once when
 * the database refused the statement itself.
 */
export async function persist<T>(write: () => Promise<T>, log: Log): Promise<T> {
  for (const wait of WAITS_MS) {
    try {
      return await write();
    } catch (err) {
      if (PERMANENT.test(String((err as { code?: unknown }).code))) throw err;
      log.warn({ err }, 'a change of a call could not be written and is tried again');
      await delay(wait);
    }
  }
  return write();
}
