import { databaseUrl, every, sealOf, type Env, type Log } from '@app/common';
import { watchPool } from '@app/metrics';
import { linksOf, RecordingFiles } from '@app/calls';
import { dataSourceOptions, poolOf } from '@app/db';
import { openKnowledgeSearch } from '@app/knowledge';
import { openStorage } from '@app/storage';
import { Admission } from '@app/telephony';
import { openToolRun } from '@app/tools';
import { readPriceBook, SummaryModel } from '@app/agents';
import { providerSettings } from '@app/voice';
import { DataSource } from 'typeorm';
import { agentTools } from './agent-tools.js';
import { CallRun } from './call-run.js';
import { Dialer, type DialerParts } from './dialer.js';
import { EvidenceWriter } from './evidence-writer.js';
import { FrontDesk } from './front-desk.js';
import { knowledgeTools } from './knowledge-tools.js';
import { KnownTrunks, REFRESH_MS } from './known-trunks.js';
import { openEngine } from './open-engine.js';
import type { RunParts } from './run-parts.js';
import { sipLogOf } from './sip-log.js';
import { TrunkPings } from './trunk-pings.js';
import { watchCertificate } from './watch-certificate.js';

/** A deleted call's recording may not stay for long on the disk of the dialer that died with it. */
const TIDY_MS = 300_000;

export interface OpenDialer {
  dialer: Dialer;
  /** Absent when the engine has no SIP of its own. */
  sipPort: number | undefined;
  reasonsNotReady: () => Promise<string[]>;
  /** Ends the live calls (after `graceMs` by hanging up), then gives back sockets and connections. */
  close(graceMs: number): Promise<void>;
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
  const seal = sealOf(env);
  const dataSource = await new DataSource(dataSourceOptions(databaseUrl(env), env.DATABASE_POOL)).initialize();
  const pool = poolOf(dataSource);
  watchPool(pool);
  watchCertificate(env);
  const knowledge = await openKnowledgeSearch({ env, pool, log });
  const evidence = new EvidenceWriter(pool, log);
  const trunks = await KnownTrunks.read(pool, seal, log);
  const admission = new Admission({ callers: () => trunks, algorithms: env.SIP_DIGEST, log: sipLogOf(log) });
  const opened = await openEngine(env, log, { evidence, admit: admission.admit, providers: providerSettings(env) });
  const { engine } = opened;
  const recordings = new RecordingFiles(env.TRUNKLINE_HOME);
  await recordings.open(pool);
  const repeating = [
    every(REFRESH_MS, () => trunks.refresh(), log),
    every(TIDY_MS, () => recordings.removeLeftOvers(pool), log),
  ];
  const links = linksOf(env, seal);
  const toolRun = openToolRun({ env, pool, seal, log, wakeWebhooks });
  const summaries = SummaryModel.of(env);
  const parts: RunParts = {
    pool,
    engine,
    storage: openStorage(env),
    recordings,
    links,
    evidence,
    prices: await readPriceBook(env.PRICE_BOOK),
    ...(summaries && { summaries }),
    voice: opened.voice,
    log,
    toolsOf: (order, ran) => [
      ...knowledgeTools(knowledge.search, order, log),
      ...agentTools({ run: toolRun.parts, log }, order, ran),
    ],
    openTrunkSecret: (sealed, context) => seal.open(Buffer.from(sealed, 'base64'), context),
    wakeWebhooks,
  };
  const startRun: DialerParts['startRun'] = (call, owner) => new CallRun(parts, call, owner);
  const dialer = new Dialer({ pool, log, env, links, startRun, onLost });
  const frontDesk = new FrontDesk({ pool, seal, links, log, wakeWebhooks }, dialer);
  engine.onIncoming?.((invitation) => frontDesk.receive(invitation));
  const pings = new TrunkPings(parts);
  return {
    dialer,
    sipPort: opened.sipPort,
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
        await Promise.all(repeating.map((task) => task.stop()));
        await opened.close();
        await Promise.all([knowledge.close(), toolRun.close()]);
        await evidence.flush();
        await summaries?.close();
        await dataSource.destroy();
      }
    },
  };
}
