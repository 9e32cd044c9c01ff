import type { TrunksService } from '@app/accounts';
import { type Encryption, runPeriodically, type Env, type Log } from '@app/common';
import type {
  CallClaimsService,
  CallDiagnosticsService,
  CallEventsService,
  CallProgressService,
  DialersService,
  RecordingsService,
} from '@app/calls';
import type { Database } from '@app/database';
import type { KnowledgeSearchService } from '@app/knowledge';
import type { Storage } from '@app/storage';
import { Admission } from '@app/telephony';
import type { ToolRunner } from '@app/tools';
import type { SummaryModel } from '@app/agents';
import { type PriceBook, providerSettings } from '@app/voice';
import { agentTools } from './agent-tools.js';
import type { CallContextService } from './call-context.service.js';
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
  /** Ends the live calls (after `graceMs` by hanging up), then gives back the sockets. */
  close(graceMs: number): Promise<void>;
}

/** Signals of the dialer to its process. */
export interface DialerSignals {
  /** Its calls were given to others: the process must end. */
  onLost: () => void;
  /** There are new deliveries. */
  wakeWebhooks: () => void;
}

export interface DialerResources extends DialerSignals {
  env: Env;
  log: Log;
  database: Database;
  encryption: Encryption;
  storage: Storage;
  runner: ToolRunner;
  trunks: TrunksService;
  prices: PriceBook;
  summaries: SummaryModel;
  claims: CallClaimsService;
  contexts: CallContextService;
  diagnostics: CallDiagnosticsService;
  dialers: DialersService;
  events: CallEventsService;
  progress: CallProgressService;
  recordings: RecordingsService;
  knowledge: KnowledgeSearchService;
}

/** Opens what a dialer process owns: SIP and media ports, agents and calls. */
export async function openDialer(resources: DialerResources): Promise<OpenDialer> {
  const { env, log, encryption, storage, knowledge, onLost, wakeWebhooks, recordings } = resources;
  const { claims, contexts, dialers, events, progress } = resources;
  const { pool } = resources.database;
  watchCertificate(env);
  const evidence = new EvidenceWriter(resources.diagnostics, log);
  const trunks = await KnownTrunks.read(pool, encryption, log);
  const admission = new Admission({ callers: () => trunks, algorithms: env.SIP_DIGEST, log: sipLogOf(log) });
  const opened = await openEngine(env, log, { evidence, admit: admission.admit, providers: providerSettings(env) });
  const { engine } = opened;
  await recordings.prepareFolder();
  const repeating = [
    runPeriodically(REFRESH_MS, () => trunks.refresh(), log),
    runPeriodically(TIDY_MS, () => recordings.removeLeftOvers(), log),
  ];
  const parts: RunParts = {
    pool,
    knowledge,
    engine,
    storage,
    claims,
    contexts,
    events,
    progress,
    recordings,
    evidence,
    prices: resources.prices,
    summaries: resources.summaries,
    voice: opened.voice,
    log,
    toolsOf: (context, ran) => [
      ...knowledgeTools(knowledge, context, log),
      ...agentTools({ runner: resources.runner, log }, context, ran),
    ],
    openTrunkSecret: (sealed, context) => encryption.decrypt(Buffer.from(sealed, 'base64'), context),
    wakeWebhooks,
  };
  const startRun: DialerParts['startRun'] = (call, owner) => new CallRun(parts, call, owner);
  const dialer = new Dialer({ claims, dialers, log, env, startRun, onLost });
  const frontDesk = new FrontDesk({ claims, log, wakeWebhooks }, dialer);
  engine.onIncoming?.((invitation) => frontDesk.receive(invitation));
  const pings = new TrunkPings(parts, resources.trunks);
  return {
    dialer,
    sipPort: opened.sipPort,
    close: async (graceMs) => {
      try {
        await pings.stop();
        await dialer.drain(graceMs);
      } finally {
        // Also when the database is gone: the far ends get their BYE.
        await Promise.all(repeating.map((task) => task.stop()));
        await opened.close();
        await evidence.flush();
      }
    },
  };
}
