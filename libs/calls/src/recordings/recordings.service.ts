import { type Env, isUuid, NotFound } from '@app/common';
import { ENV } from '@app/common/settings';
import { type ByteRange, makePrivateFolder, Storage } from '@app/storage';
import { Inject, Injectable } from '@nestjs/common';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { CallLinksService, type LinkProof } from './call-links.service.js';
import { CallsRepository } from '../calls.repository.js';
import { ACTIVE_STATUSES } from '../domain/call-state.js';

const DAY_MS = 86_400_000;
const SUFFIX = '.wav';
const CALL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Calls per statement. */
const CHUNK = 500;

/** A recording in the storage. */
interface StoredRecording {
  callId: string;
  key: string;
  /** Bytes. */
  size: number;
}

/** Recordings in the storage, and the local files that recordings of live calls are written to. */
@Injectable()
export class RecordingsService {
  private readonly folder: string;

  constructor(
    @Inject(ENV) env: Env,
    private readonly calls: CallsRepository,
    private readonly links: CallLinksService,
    private readonly storage: Storage,
  ) {
    this.folder = join(env.TRUNKLINE_HOME, 'tmp', 'recordings');
  }

  static keyOf(accountId: number, callId: string): string {
    return `recordings/${accountId}/${callId}.wav`;
  }

  /** The recording behind a signed link. Throws NotFound when the link is not valid or the recording does not exist. */
  async find(callId: string, proof: LinkProof): Promise<StoredRecording> {
    const row = isUuid(callId) ? await this.calls.findRecording(callId) : undefined;
    if (!row || !this.links.opensRecording(row, proof)) throw new NotFound('Recording');
    const size = row.recording_key === null ? undefined : await this.storage.size(row.recording_key);
    if (row.recording_key === null || size === undefined) throw new NotFound('Recording');
    return { callId: row.id, key: row.recording_key, size };
  }

  /** Throws NotFound when the recording has just been deleted. */
  async open({ key }: StoredRecording, range: ByteRange | undefined): Promise<Readable> {
    const file = await this.storage.open(key, range);
    if (!file) throw new NotFound('Recording');
    return file.stream;
  }

  /** Whether the row of the call refers to this file. */
  async isReferenced(callId: string, key: string): Promise<boolean> {
    return (await this.calls.findRecording(callId))?.recording_key === key;
  }

  /** Deletes the stored recording, and the local file of a dead dialer on this machine. */
  async delete(callId: string, key: string | null): Promise<void> {
    if (key !== null) await this.storage.delete(key);
    await this.removeFile(callId);
  }

  /** The local file of a live call. A finished recording moves to the storage. */
  pathOf(callId: string): string {
    return join(this.folder, callId + SUFFIX);
  }

  /** Removes the local file of a call, if there is one. */
  async removeFile(callId: string): Promise<void> {
    await rm(this.pathOf(callId), { force: true });
  }

  /** Creates the folder of local files. */
  prepareFolder(): Promise<void> {
    return makePrivateFolder(this.folder);
  }

  /**
   * Removes the files of calls that have ended or do not exist: their dialer died. A dialer stores or removes its file before the
   * call ends, so the files of other dialers with the same home stay. Files with other names are removed after a day. Rejects at the
   * end when some could not be removed.
   */
  async removeLeftOvers(now = Date.now()): Promise<void> {
    const names = await readdir(this.folder);
    const calls = names.flatMap((name) => callOf(name) ?? []);
    const failures: unknown[] = [];
    for (let at = 0; at < calls.length; at += CHUNK) {
      const some = calls.slice(at, at + CHUNK);
      const active = new Set(await this.calls.withStatus(some, ACTIVE_STATUSES));
      failures.push(...(await failuresOf(some.filter((id) => !active.has(id)).map((id) => this.removeFile(id)))));
    }
    const others = names.filter((name) => !callOf(name)).map((name) => removeOld(join(this.folder, name), now));
    failures.push(...(await failuresOf(others)));
    if (failures.length > 0) throw new AggregateError(failures, 'Files of recordings could not be removed.');
  }
}

async function failuresOf(removals: readonly Promise<void>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(removals);
  return settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
}

function callOf(name: string): string | undefined {
  const id = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : '';
  return CALL_ID.test(id) ? id : undefined;
}

async function removeOld(path: string, now: number): Promise<void> {
  // Another dialer with the same home may have removed it.
  const found = await stat(path).catch(() => undefined);
  if (found && now - found.mtimeMs > DAY_MS) await rm(path, { force: true });
}
