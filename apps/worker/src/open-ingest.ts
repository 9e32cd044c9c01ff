import { type Env, FairSemaphore, KeyedSemaphore, type Log, VERSION } from '@app/common';
import type { Egress } from '@app/egress';
import { Ingest, readDocument, READERS, Robots, ScratchFolder, type OpenVectors } from '@app/knowledge';
import type { Storage } from '@app/storage';
import type { Pool } from 'pg';

export interface OpenIngest {
  ingest: Ingest;
  /** Gives the documents in hand back to the line: well within a second. */
  close(): Promise<void>;
}

export interface IngestParts {
  env: Env;
  pool: Pool;
  storage: Storage;
  egress: Egress;
  log: Log;
  owner: string;
  vectors: OpenVectors | undefined;
}

/** Beside those that are read: documents that are fetched, embedded or wait for their turn. */
const BESIDE_READERS = 3;
const PAGES_PER_HOST = 2;

/** Opens what makes documents searchable. It is not started yet. */
export function openIngest({ env, egress, ...parts }: IngestParts): OpenIngest {
  const agent = `Trunkline/${VERSION}`;
  const robots = env.URL_ROBOTS === 'honour' ? new Robots({ egress, agent }) : undefined;
  const scratch = new ScratchFolder();
  const ingest = new Ingest({
    ...parts,
    fetcher: { egress, agent, hosts: new KeyedSemaphore(PAGES_PER_HOST), ...(robots && { robots }) },
    read: readDocument,
    readers: new FairSemaphore(READERS),
    scratch,
    atOnce: READERS + BESIDE_READERS,
  });
  const close = async (): Promise<void> => {
    await ingest.stop();
    await scratch.close();
  };
  return { ingest, close };
}
