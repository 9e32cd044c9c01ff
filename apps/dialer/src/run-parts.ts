import type { Links, RecordingFiles } from '@app/calls';
import type { Log } from '@app/common';
import type { Storage } from '@app/storage';
import type { ToolsService } from '@app/tools';
import type { CarrierEngine } from '@app/telephony';
import type { SummaryModel, ToolRan } from '@app/agents';
import type { PriceBook, VoiceTool } from '@app/voice';
import type { Pool } from 'pg';
import type { EvidenceWriter } from './evidence-writer.js';
import type { OpenTrunkSecret } from '@app/accounts';
import type { DialOrder } from './load-dial.js';
import type { OpenVoice } from './open-voice.js';

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
  /** Absent: summaries are made of the calls' own facts. */
  summaries?: Pick<SummaryModel, 'summarise'>;
  voice: Pick<OpenVoice, 'speech' | 'openProviders'>;
  /** What the agent of a call can do beside the built-in tools; runs in this thread. */
  toolsOf: (order: DialOrder, ran: ToolRan) => VoiceTool[];
  log: Log;
  openTrunkSecret: OpenTrunkSecret;
  wakeWebhooks: () => void;
}
