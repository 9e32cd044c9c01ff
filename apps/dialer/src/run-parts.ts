import type { Links, RecordingFiles } from '@app/calls';
import type { Log } from '@app/common';
import type { Storage } from '@app/storage';
import type { ToolsService } from '@app/tools';
import type { CarrierEngine } from '@app/telephony';
import type { SummaryModel, OnToolRun } from '@app/agents';
import type { AgentProviders, PriceBook, Speech, VoiceTool, ProviderChoice } from '@app/voice';
import type { Pool } from 'pg';
import type { EvidenceWriter } from './evidence-writer.js';
import type { OpenTrunkSecret } from '@app/accounts';
import type { DialOrder } from './load-dial.js';

/** What every call of this process shares. */
export interface RunParts {
  pool: Pool;
  tools: Pick<ToolsService, 'ofAgent'>;
  engine: CarrierEngine;
  storage: Storage;
  recordings: RecordingFiles;
  evidence: EvidenceWriter;
  links: Links;
  prices: PriceBook;
  summaries: Pick<SummaryModel, 'summarise'>;
  speech: Speech;
  /** @throws ProviderUnavailable */
  providersFor: (wanted: readonly ProviderChoice[]) => AgentProviders;
  /** What the agent of a call can do beside the built-in tools; runs in this thread. */
  toolsOf: (order: DialOrder, ran: OnToolRun) => VoiceTool[];
  log: Log;
  openTrunkSecret: OpenTrunkSecret;
  wakeWebhooks: () => void;
}
