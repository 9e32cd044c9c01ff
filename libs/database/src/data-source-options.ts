import { isPooled } from '@app/common';
import { Client, type ClientConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { COLUMN_TYPES } from './column-types.js';
import { InstallationEntity, LeaderLeaseEntity } from './entities/installation.entity.js';
import { Initial1760000000000 } from './migrations/1760000000000-initial.js';
import { Trunks1760000100000 } from './migrations/1760000100000-trunks.js';
import { Diagnostics1760000200000 } from './migrations/1760000200000-diagnostics.js';
import { AnsweringMachine1760000300000 } from './migrations/1760000300000-answering-machine.js';
import { Inbound1760000400000 } from './migrations/1760000400000-inbound.js';
import { Transfers1760000500000 } from './migrations/1760000500000-transfers.js';
import { LivekitTrunks1760000600000 } from './migrations/1760000600000-livekit-trunks.js';
import { LongTableIndexes1760000700000 } from './migrations/1760000700000-long-table-indexes.js';
import { Knowledge1760000800000 } from './migrations/1760000800000-knowledge.js';
import { Embeddings1760000900000 } from './migrations/1760000900000-embeddings.js';
import { Ingest1760001000000 } from './migrations/1760001000000-ingest.js';
import { Tools1760001100000 } from './migrations/1760001100000-tools.js';
import { Invocations1760001200000 } from './migrations/1760001200000-invocations.js';
import { ProviderOptions1760001300000 } from './migrations/1760001300000-provider-options.js';
import { Conversation1760001400000 } from './migrations/1760001400000-conversation.js';
import { EndpointHealth1760001500000 } from './migrations/1760001500000-endpoint-health.js';
import { DeliveryLists1760001600000 } from './migrations/1760001600000-delivery-lists.js';
import { Limits1760001700000 } from './migrations/1760001700000-limits.js';
import { RateLimits1760001700001 } from './migrations/1760001700001-rate-limits.js';
import { Caps1760001700002 } from './migrations/1760001700002-caps.js';
import { TokenRotation1760001700003 } from './migrations/1760001700003-token-rotation.js';
import { Watch1760001800000 } from './migrations/1760001800000-watch.js';
import { TraceParent1760002200000 } from './migrations/1760002200000-trace-parent.js';
import { ShortPendingLists1760002300000 } from './migrations/1760002300000-short-pending-lists.js';
import { WebhookStreamsByAccount1760002400000 } from './migrations/1760002400000-webhook-streams-by-account.js';
import { OperatorNotices1760002500001 } from './migrations/1760002500001-operator-notices.js';
import { DialFormats1760002600000 } from './migrations/1760002600000-dial-formats.js';
import { DrainedCalls1760003000000 } from './migrations/1760003000000-drained-calls.js';
import { StorageQuota1760003100000 } from './migrations/1760003100000-storage-quota.js';
import { KnowledgeLanguage1760003250000 } from './migrations/1760003250000-knowledge-language.js';
import { KnowledgePages1760003300000 } from './migrations/1760003300000-knowledge-pages.js';
import { KnowledgeTests1760003400000 } from './migrations/1760003400000-knowledge-tests.js';
import { SharedKnowledge1760003500000 } from './migrations/1760003500000-shared-knowledge.js';
import { TableRows1760003600000 } from './migrations/1760003600000-table-rows.js';
import { KnowledgeQuality1760003700000 } from './migrations/1760003700000-knowledge-quality.js';
import { AccountScopes1760003900000 } from './migrations/1760003900000-account-scopes.js';
import { EmbedderChecks1760003950000 } from './migrations/1760003950000-embedder-checks.js';
import { AgentVersions1760004000000 } from './migrations/1760004000000-agent-versions.js';
import { NumbersTrunks1760004100000 } from './migrations/1760004100000-numbers-trunks.js';
import { CallVariables1760004200000 } from './migrations/1760004200000-call-variables.js';
import { CallCommands1760004300000 } from './migrations/1760004300000-call-commands.js';
import { McpServers1760004400000 } from './migrations/1760004400000-mcp-servers.js';
import { CallWords1760004500000 } from './migrations/1760004500000-call-words.js';
import { TrunkRegistrations1760005000000 } from './migrations/1760005000000-trunk-registrations.js';
import { ScheduledCalls1760006300000 } from './migrations/1760006300000-scheduled-calls.js';
import { Campaigns1760006000000 } from './migrations/1760006000000-campaigns.js';
import { CampaignRunner1760006100000 } from './migrations/1760006100000-campaign-runner.js';
import { CampaignImports1760006150000 } from './migrations/1760006150000-campaign-imports.js';
import { InboundFront1760006500000 } from './migrations/1760006500000-inbound-front.js';
import { Redaction1760007100000 } from './migrations/1760007100000-redaction.js';
import { AnswerResults1760006600000 } from './migrations/1760006600000-answer-results.js';
import { Analytics1760007300000 } from './migrations/1760007300000-analytics.js';
import { CallMeasures1760007400000 } from './migrations/1760007400000-call-measures.js';
import { TestRuns1760007500000 } from './migrations/1760007500000-test-runs.js';
import { WarmTransfers1760006400000 } from './migrations/1760006400000-warm-transfers.js';
import { RecordingConsent1760007200000 } from './migrations/1760007200000-recording-consent.js';
import { Compliance1760006200000 } from './migrations/1760006200000-compliance.js';
import { QueueTransfers1760007800000 } from './migrations/1760007800000-queue-transfers.js';
import { SignIn1760007700000 } from './migrations/1760007700000-sign-in.js';
import { RubricAnalytics1760007900000 } from './migrations/1760007900000-rubric-analytics.js';
import { AnalysisBatchLists1760008050000 } from './migrations/1760008050000-analysis-batch-lists.js';
import { AnalyticsBlocks1760008100000 } from './migrations/1760008100000-analytics-blocks.js';
import { TrunkPlaces1760008210000 } from './migrations/1760008210000-trunk-places.js';
import { SignInBounds1760008220000 } from './migrations/1760008220000-sign-in-bounds.js';
import { CallAnalyses1760007000000 } from './migrations/1760007000000-call-analyses.js';
import { HeapOnlyDeliveries1760008000000 } from './migrations/1760008000000-heap-only-deliveries.js';

const ENTITIES = [InstallationEntity, LeaderLeaseEntity];

/** In the order of their execution. */
const MIGRATIONS = [
  Initial1760000000000,
  Trunks1760000100000,
  Diagnostics1760000200000,
  AnsweringMachine1760000300000,
  Inbound1760000400000,
  Transfers1760000500000,
  LivekitTrunks1760000600000,
  LongTableIndexes1760000700000,
  Knowledge1760000800000,
  Embeddings1760000900000,
  Ingest1760001000000,
  Tools1760001100000,
  Invocations1760001200000,
  ProviderOptions1760001300000,
  Conversation1760001400000,
  EndpointHealth1760001500000,
  DeliveryLists1760001600000,
  Limits1760001700000,
  RateLimits1760001700001,
  Caps1760001700002,
  TokenRotation1760001700003,
  Watch1760001800000,
  TraceParent1760002200000,
  ShortPendingLists1760002300000,
  WebhookStreamsByAccount1760002400000,
  OperatorNotices1760002500001,
  DialFormats1760002600000,
  DrainedCalls1760003000000,
  StorageQuota1760003100000,
  KnowledgeLanguage1760003250000,
  KnowledgePages1760003300000,
  KnowledgeTests1760003400000,
  SharedKnowledge1760003500000,
  TableRows1760003600000,
  KnowledgeQuality1760003700000,
  AccountScopes1760003900000,
  EmbedderChecks1760003950000,
  AgentVersions1760004000000,
  NumbersTrunks1760004100000,
  CallVariables1760004200000,
  CallCommands1760004300000,
  McpServers1760004400000,
  CallWords1760004500000,
  TrunkRegistrations1760005000000,
  Campaigns1760006000000,
  CampaignRunner1760006100000,
  CampaignImports1760006150000,
  Compliance1760006200000,
  ScheduledCalls1760006300000,
  WarmTransfers1760006400000,
  InboundFront1760006500000,
  AnswerResults1760006600000,
  CallAnalyses1760007000000,
  Redaction1760007100000,
  RecordingConsent1760007200000,
  Analytics1760007300000,
  CallMeasures1760007400000,
  TestRuns1760007500000,
  SignIn1760007700000,
  QueueTransfers1760007800000,
  RubricAnalytics1760007900000,
  HeapOnlyDeliveries1760008000000,
  AnalysisBatchLists1760008050000,
  AnalyticsBlocks1760008100000,
  TrunkPlaces1760008210000,
  SignInBounds1760008220000,
];

/**
 * `poolSize`: connections per process. The server ends a statement after 30 s (`statementMs`; 0: no limit); behind a pooler, the pooler
 * sets this limit (docs/operate/install.md).
 */
export function dataSourceOptions(url: string, poolSize = 10, statementMs = 30_000): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    extra: {
      max: poolSize,
      connectionTimeoutMillis: 5_000,
      // Only the statements of pipeline.ts share a connection.
      pipeline: true,
      types: COLUMN_TYPES,
      ...answered(statementMs),
      application_name: 'trunkline',
      ...(isPooled(url) ? { Client: UnnamedClient } : { statement_timeout: statementMs }),
    },
  };
}

/**
 * A server that vanished (a failover, a cut network) neither answers nor closes the connection: without a client-side limit a query
 * would wait forever. The limit is later than that of the server, so that the server ends slow statements.
 */
const answered = (statementMs: number): { query_timeout?: number; keepAlive: boolean } =>
  statementMs > 0 ? { query_timeout: statementMs + 5_000, keepAlive: true } : { keepAlive: true };

/**
 * For a pooler in transaction mode: a named statement would be prepared in one session of the server and executed in another.
 * Without names PostgreSQL parses and plans each time (pgbouncer 1.21 and newer supports names; Debian 12 ships 1.18, which does not).
 */
class UnnamedClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((statement: unknown, ...rest: unknown[]) =>
      query(withoutName(statement), ...rest)) as Client['query'];
  }
}

/** TypeORM's cursors, which have a `submit`, are passed on unchanged. */
function withoutName(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return statement;
  return { ...statement, name: undefined };
}
