import { databaseUrl, Seal, secretKey, type Env, type Log } from '@app/common';
import { linksOf } from '@app/calls';
import { dataSourceOptions, poolOf } from '@app/db';
import { openStorage } from '@app/storage';
import { EmbeddedEngine, type MediaHost } from '@app/telephony';
import { DataSource } from 'typeorm';
import { agentPartsOf } from './agent-task.js';
import { CallRun } from './call-run.js';
import { Dialer } from './dialer.js';
import { EvidenceWriter } from './evidence-writer.js';
import { openMedia } from './open-media.js';
import { readPriceBook } from './price-book-file.js';
import { RecordingFiles } from './recordings.js';
import type { RunParts } from './run-parts.js';
import { sipLogOf } from './sip-log.js';
import { sipOptions } from './sip-options.js';
import { TrunkPings } from './trunk-pings.js';

export interface OpenDialer {
  dialer: Dialer;
  sipPort: number;
  reasonsNotReady: () => Promise<string[]>;
  /** Ends the live calls (after `graceMs` by hanging up), then gives back sockets and connections. */
  close(graceMs: number): Promise<void>;
}

function openEngine(env: Env, log: Log, media: MediaHost, evidence: EvidenceWriter): Promise<EmbeddedEngine> {
  return EmbeddedEngine.start({
    sip: sipOptions(env, sipLogOf(log)),
    media,
    codecs: ['PCMU', 'PCMA'],
    onSipEvent: (legId, event) => evidence.message(legId, event),
  });
}

/** What the dialer tells the process around it. */
export interface DialerSignals {
  /** Its calls were given to others: the process must end. */
  onLost: () => void;
  /** There are new deliveries. */
  wakeWebhooks: () => void;
}

/** Opens what a dialer process owns: database, SIP and media ports, storage. */
export async function openDialer(env: Env, log: Log, { onLost, wakeWebhooks }: DialerSignals): Promise<OpenDialer> {
  const seal = new Seal(secretKey(env));
  const dataSource = await new DataSource(dataSourceOptions(databaseUrl(env), env.DATABASE_POOL)).initialize();
  const pool = poolOf(dataSource);
  const evidence = new EvidenceWriter(pool, log);
  const media = await openMedia(env, log);
  const engine = await openEngine(env, log, media.host, evidence);
  const links = linksOf(env, seal);
  const parts: RunParts = {
    pool,
    engine,
    storage: openStorage(env),
    recordings: await RecordingFiles.open(env.TRUNKLINE_HOME),
    links,
    evidence,
    prices: await readPriceBook(env.PRICE_BOOK),
    ...agentPartsOf(media.speech, log),
    toolsOf: () => [],
    openTrunkSecret: (sealed, context) => seal.open(Buffer.from(sealed, 'base64'), context),
    wakeWebhooks,
  };
  const startRun = (call: { id: string; dialIn: number }, owner: string) => new CallRun(parts, call, owner);
  const dialer = new Dialer({ pool, log, env, links, startRun, onLost });
  const pings = new TrunkPings(parts);
  return {
    dialer,
    sipPort: engine.port,
    reasonsNotReady: () =>
      pool.query('SELECT 1').then(
        () => [],
        () => ['the database does not answer'],
      ),
    close: async (graceMs) => {
      try {
        await pings.stop();
        await dialer.drain(graceMs);
      } finally {
        // Also when the database is gone: the far ends get their BYE.
        await engine.close();
        await media.closeSpeech();
        await evidence.flush();
        await dataSource.destroy();
      }
    },
  };
}
