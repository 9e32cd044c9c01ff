import type { CallClaimsService, CallEventsService, CallProgressService, RecordingsService } from '@app/calls';
import type { Log } from '@app/common';
import type { KnowledgeSearchService } from '@app/knowledge';
import type { Storage } from '@app/storage';
import type { CarrierEngine } from '@app/telephony';
import type { SummaryModel, OnToolRun } from '@app/agents';
import type { PriceBook, VoiceTool } from '@app/voice';
import type { Pool } from 'pg';
import type { EvidenceWriter } from './evidence-writer.js';
import type { OpenTrunkSecret } from '@app/accounts';
import type { CallContext, CallContextService } from './call-context.service.js';
import type { OpenVoice } from './open-voice.js';

/** The services and resources that all calls of this process share. */
export interface RunParts {
  pool: Pool;
  knowledge: Pick<KnowledgeSearchService, 'knowledgeOf'>;
  engine: CarrierEngine;
  storage: Storage;
  claims: CallClaimsService;
  contexts: CallContextService;
  events: CallEventsService;
  progress: CallProgressService;
  recordings: RecordingsService;
  evidence: EvidenceWriter;
  prices: PriceBook;
  summaries: Pick<SummaryModel, 'summarise'>;
  voice: Pick<OpenVoice, 'speech' | 'openProviders'>;
  /** The tools of an agent besides the built-in ones; they run in this thread. */
  toolsOf: (context: CallContext, ran: OnToolRun) => VoiceTool[];
  log: Log;
  openTrunkSecret: OpenTrunkSecret;
  wakeWebhooks: () => void;
}
