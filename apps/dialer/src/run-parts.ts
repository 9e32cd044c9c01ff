import type { Links, RecordingFiles } from '@app/calls';
import type { Log } from '@app/common';
import type { KnowledgeSearchService } from '@app/knowledge';
import type { Storage } from '@app/storage';
import type { CarrierEngine } from '@app/telephony';
import type { SummaryModel, ToolRan } from '@app/agents';
import type { AgentProviders, PriceBook, Speech, VoiceTool, WantedProvider } from '@app/voice';
import type { Pool } from 'pg';
import type { EvidenceWriter } from './evidence-writer.js';
import type { OpenTrunkSecret } from '@app/accounts';
import type { DialOrder } from './load-dial.js';

/** What every call of this process shares. */
export interface RunParts {
  pool: Pool;
  knowledge: Pick<KnowledgeSearchService, 'knowledgeOf'>;
  engine: CarrierEngine;
  storage: Storage;
  recordings: RecordingFiles;
  evidence: EvidenceWriter;
  links: Links;
  prices: PriceBook;
  /** Absent: summaries are made of the calls' own facts. */
  summaries?: Pick<SummaryModel, 'summarise'>;
  speech: Speech;
  /** @throws ProviderUnavailable */
  providersFor: (wanted: readonly WantedProvider[]) => AgentProviders;
  /** What the agent of a call can do beside the built-in tools; runs in this thread. */
  toolsOf: (order: DialOrder, ran: ToolRan) => VoiceTool[];
  log: Log;
  openTrunkSecret: OpenTrunkSecret;
  wakeWebhooks: () => void;
}
