import { rows } from '@app/database';
import { makePrivateFolder } from '@app/storage';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { ACTIVE_STATUSES } from './call-state.js';

const DAY_MS = 86_400_000;
const SUFFIX = '.wav';
const CALL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Calls of one statement. */
const CHUNK = 500;

const ACTIVE_CALLS = {
  name: 'active-calls-of-recordings',
  text: `SELECT id FROM calls WHERE id = ANY ($1::uuid[]) AND status = ANY ($2::text[])`,
};

/** Where recordings grow while the call lasts; a finished one moves to the storage. */
export class RecordingFiles {
  private readonly folder: string;

  constructor(home: string) {
    this.folder = join(home, 'tmp', 'recordings');
  }

  /** Makes the folder, and removes what a dialer that died left in it. */
  async open(pool: Pool): Promise<void> {
    await makePrivateFolder(this.folder);
    await this.removeLeftOvers(pool);
  }

  /**
   * Removes the files of calls that have ended or do not exist: their dialer died. A dialer stores or removes its file before the
   * call ends, so the files of other dialers with the same home stay. Other names are removed after a day.
   */
  async removeLeftOvers(pool: Pool, now = Date.now()): Promise<void> {
    const names = await readdir(this.folder);
    const calls = names.flatMap((name) => callOf(name) ?? []);
    for (let at = 0; at < calls.length; at += CHUNK) {
      const some = calls.slice(at, at + CHUNK);
      const active = await rows<{ id: string }>(pool, ACTIVE_CALLS, [some, ACTIVE_STATUSES]);
      const kept = new Set(active.map(({ id }) => id));
      for (const id of some) if (!kept.has(id)) await this.remove(id);
    }
    for (const name of names) if (!callOf(name)) await removeOld(join(this.folder, name), now);
  }

  pathOf(callId: string): string {
    return join(this.folder, callId + SUFFIX);
  }

  /** Removing a file that does not exist is no error. */
  async remove(callId: string): Promise<void> {
    await rm(this.pathOf(callId), { force: true });
  }

  static keyOf(accountId: number, callId: string): string {
    return `recordings/${accountId}/${callId}.wav`;
  }
}

function callOf(name: string): string | undefined {
  const id = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : '';
  return CALL_ID.test(id) ? id : undefined;
}

async function removeOld(path: string, now: number): Promise<void> {
  // Another dialer with the same home may be faster.
  const found = await stat(path).catch(() => undefined);
  if (found && now - found.mtimeMs > DAY_MS) await rm(path, { force: true });
}
