import { VERSION } from '@app/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * The Prometheus metrics of this process. Label values come from small closed sets (a route template, a state, a kind), never from
 * accounts, calls, numbers, hosts or URLs: customers must not be able to create series. Counting is one map look-up without I/O.
 */
export const registry = new Registry();

const counter = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> =>
  new Counter({ name: `trunkline_${name}`, help, labelNames, registers: [registry] });

const gauge = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> =>
  new Gauge({ name: `trunkline_${name}`, help, labelNames, registers: [registry] });

/** Absent until it is set: 0 would mean 1970, or a full disk. */
function absentGauge(name: string, help: string): Gauge {
  const absent = gauge(name, help);
  absent.remove();
  return absent;
}

const histogram = <L extends string = never>(
  name: string,
  help: string,
  buckets: readonly number[],
  labelNames: readonly L[] = [],
): Histogram<L> =>
  new Histogram({ name: `trunkline_${name}`, help, buckets: [...buckets], labelNames, registers: [registry] });

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const NETWORK_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const LAG_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30, 120, 600, 3_600, 86_400];
const RING_SECONDS = [0.25, 0.5, 1, 2, 3, 5, 8, 13, 20, 30, 45, 60];
/** Models answer in seconds; a queue, a retry or a used-up budget takes longer. */
const ANALYSIS_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 1_800, 86_400];
const PLAY_OUT_SECONDS = [0.02, 0.06, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5];
const CALL_SECONDS = [5, 15, 30, 60, 120, 300, 600, 1_200, 3_600];
const QUEUE_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 3_600];
/** From a look that finds nothing to a file with a million rows. */
const JOB_SECONDS = [0.01, 0.05, 0.25, 1, 5, 20, 60, 300, 1_200];
const SPEECH_SECONDS = [0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];
const STAGE_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const LOSS_RATIO = [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25];
const JITTER_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1];
const MOS = [1.5, 2, 2.5, 3, 3.5, 3.8, 4, 4.2, 4.4];

/** All metrics of the service. The count of a histogram is the number of events, so events with a duration have no separate counter. */
export const metrics = {
  buildInfo: gauge('build_info', 'Always 1; the release and the role of the process.', ['version', 'role']),

  // The api, per route template.
  httpRequestSeconds: histogram(
    'http_request_duration_seconds',
    'Time until the response was written, by route template and status.',
    REQUEST_SECONDS,
    ['method', 'route', 'status'],
  ),
  httpRefused: counter('http_refused_total', 'Requests refused by a limit.', ['limit']),
  sockets: gauge('sockets', 'Open WebSockets of clients, by what they are for.', ['route']),
  socketCloses: counter('socket_closes_total', 'Closed and refused WebSockets of clients, by close code.', [
    'route',
    'code',
  ]),
  socketBytes: counter('socket_bytes_total', 'Bytes of audio and messages, `in` from clients and `out` to them.', [
    'route',
    'direction',
  ]),
  signIns: counter('sign_ins_total', 'Sign-ins of people at the console, by outcome.', ['outcome']),

  // Calls, counted by their dialer.
  callsStarted: counter('calls_started_total', 'Calls claimed by a dialer.', ['direction']),
  callsEnded: counter(
    'calls_ended_total',
    'Ended calls; status cut_off: answered calls that the shutdown of their dialer cut off.',
    ['direction', 'status', 'cause'],
  ),
  callsSwept: counter('calls_swept_total', 'Calls ended by a sweep because their dialer was lost.'),
  callsCutOff: gauge(
    'calls_cut_off',
    'Calls cut off by the shutdown of their dialer in the last 15 minutes, read from the database by every worker.',
  ),
  callWaitSeconds: histogram(
    'call_wait_seconds',
    'From the creation of a call, or the time of a scheduled one, to its first INVITE.',
    LAG_SECONDS,
  ),
  callRingSeconds: histogram('call_ring_seconds', 'Set-up time: from the INVITE to the first ringing.', RING_SECONDS),
  callAnswerSeconds: histogram('call_answer_seconds', 'From the INVITE to the answer.', RING_SECONDS),
  webConnections: gauge('web_connections', 'Connections of pages to web calls of this dialer.'),
  webFramesDropped: counter('web_frames_dropped_total', 'Audio frames of web calls dropped because they were late.', [
    'direction',
  ]),
  webPlayOutSeconds: histogram(
    'web_play_out_seconds',
    'Audio of agents that the page of a web call has not played, at each of its reports.',
    PLAY_OUT_SECONDS,
  ),
  callSeconds: histogram('call_duration_seconds', 'From the answer to the end.', CALL_SECONDS, ['direction']),
  dialerCalls: gauge('dialer_calls', 'Live calls of this dialer.'),
  dialerSlots: gauge('dialer_slots', 'Maximum number of live calls of this dialer.'),
  callListeners: gauge('call_listeners', 'Connections that listen to calls of this dialer.'),
  queueCallers: gauge('queue_callers', 'Inbound callers of this dialer that wait for a free place.'),
  queueWaitSeconds: histogram('queue_wait_seconds', 'Wait of an inbound caller for a free place.', QUEUE_SECONDS, [
    'outcome',
  ]),
  transfers: counter('transfers_total', 'Attempted transfers.', ['outcome']),
  callCommands: counter('call_commands_total', 'Executed commands to live calls.', ['kind', 'outcome']),
  callCommandSeconds: histogram(
    'call_command_seconds',
    'From the request of a command to its effect; a `say` takes effect at the end of its audio.',
    REQUEST_SECONDS.concat(30, 60),
    ['kind'],
  ),
  campaignAttempts: counter('campaign_attempts_total', 'Ended attempts to reach contacts of campaigns.', ['outcome']),
  sipForeignMessages: counter(
    'sip_foreign_messages_total',
    'SIP messages of a dialog or transaction that came from another source than its remote party, and were refused or dropped.',
    ['kind'],
  ),
  recordingsLost: counter('recordings_lost_total', 'Recordings of completed calls that were not stored.', ['cause']),

  // Media: one observation per leg, at its end.
  rtpLossRatio: histogram('rtp_loss_ratio', 'Share of RTP packets that did not arrive.', LOSS_RATIO, ['direction']),
  rtpJitterSeconds: histogram('rtp_jitter_seconds', 'Interarrival jitter (RFC 3550).', JITTER_SECONDS, ['direction']),
  callMos: histogram('call_mos', 'Estimated mean opinion score (G.107), 1 to 4.5.', MOS),
  callSentMos: histogram(
    'call_sent_mos',
    'Estimated mean opinion score of our audio by the RTCP reports of the remote party.',
    MOS,
  ),
  rtpRoundTripSeconds: histogram('rtp_round_trip_seconds', 'Round trip by RTCP.', JITTER_SECONDS.concat(0.2, 0.5, 1)),

  // The agent's provider.
  providerFirstAudioSeconds: histogram(
    'provider_first_audio_seconds',
    "From the end of the user's speech to the first audio of the reply.",
    SPEECH_SECONDS,
    ['provider'],
  ),
  turnLatencySeconds: histogram(
    'turn_latency_seconds',
    "From the end of the user's input to a stage of the agent's answer.",
    SPEECH_SECONDS,
    ['provider', 'stage'],
  ),
  turnLatencyPartSeconds: histogram(
    'turn_latency_part_seconds',
    "Parts of the time from the end of the user's input to the first audio that was sent; they add up to stage heard.",
    [0.01, 0.025, 0.05, ...SPEECH_SECONDS],
    ['provider', 'part'],
  ),
  interruptions: counter(
    'interruptions_total',
    'Speech or keys of the user over the agent; words: it stopped the agent, false: a sound without words did, ignored: the agent went on.',
    ['kind'],
  ),
  providerLosses: counter('provider_losses_total', 'Lost connections to a provider.', ['provider']),

  // Ended calls, counted once by the worker that adds them to the analytics.
  countedCalls: counter('counted_calls_total', 'Ended calls by direction, final status and answering party.', [
    'direction',
    'outcome',
    'answered_by',
  ]),
  callCost: counter('call_cost_usd_total', 'Cost of ended calls in USD.'),
  toolCalls: counter('tool_calls_total', 'Tool calls of agents in ended calls.', ['outcome']),
  knowledgeSearches: counter('knowledge_searches_total', 'Knowledge searches of agents in ended calls.', ['outcome']),

  // Queued work, read from the database by every worker: use the maximum over workers, not the sum.
  calls: gauge('calls', 'Active calls by status; scheduled: pending calls that wait for their time.', ['status']),
  queueDepth: gauge('queue_depth', 'Queued items by queue, counted up to 100,000.', ['queue']),
  queueOldestSeconds: gauge('queue_oldest_seconds', 'How long the oldest queued item has been due.', ['queue']),
  jobs: gauge('jobs', 'Jobs of a queue by state: waiting, active, failed in the last day.', ['queue', 'state']),
  jobsOldestSeconds: gauge('jobs_oldest_seconds', 'How long the oldest job of a queue waits for a free place.', [
    'queue',
  ]),
  trunks: gauge('trunks', 'Active trunks by the result of their OPTIONS checks.', ['state']),
  trunkRegistrations: gauge('trunk_registrations', 'Active trunks with registration by its state.', ['state']),
  analyses: counter('analyses_total', 'Ended analyses of calls; the outcome is `completed` or an error code.', [
    'outcome',
    'kind',
  ]),
  analysisSeconds: histogram('analysis_seconds', 'From the request of an analysis to its result.', ANALYSIS_SECONDS),
  campaigns: gauge('campaigns', 'Running campaigns, and paused ones by what paused them.', ['state']),
  breakersOpen: gauge('delivery_breakers_open', 'Hosts with an open circuit breaker.'),
  endpointsDisabled: gauge('webhook_endpoints_disabled', 'Webhook endpoints that are disabled.'),

  // Jobs of the queues that this process took; most of those that a scheduler repeats find nothing to do.
  jobsEnded: counter('jobs_ended_total', 'Jobs that this process took by outcome.', ['queue', 'outcome']),
  jobSeconds: histogram('job_seconds', 'Duration of the jobs that this process took.', JOB_SECONDS, ['queue']),

  // Deliveries; kind: call-status, post-call, tool-action.
  deliveryAttemptSeconds: histogram(
    'delivery_attempt_seconds',
    'Duration of a delivery attempt by outcome.',
    NETWORK_SECONDS,
    ['kind', 'outcome'],
  ),
  deliveryLagSeconds: histogram('delivery_lag_seconds', 'From the commit of an event to its receipt.', LAG_SECONDS, [
    'kind',
  ]),
  deliveriesDead: counter('deliveries_dead_total', 'Deliveries that failed permanently.', ['kind']),
  breakerOpened: counter('delivery_breaker_opened_total', 'Number of times that a circuit breaker opened.'),

  // MCP, both ways.
  mcpToolCalls: counter('mcp_tool_calls_total', 'Calls of tools of MCP servers by outcome.', ['outcome']),
  mcpServerChecks: counter(
    'mcp_server_checks_total',
    'Checks of MCP servers by result; `changed`: the tools differ from the pinned ones.',
    ['state'],
  ),
  mcpRequests: counter('mcp_requests_total', 'Tool calls of MCP clients at /mcp by tool and outcome.', [
    'tool',
    'outcome',
  ]),

  // Documents of knowledge bases.
  documentStageSeconds: histogram(
    'document_stage_seconds',
    'Duration of one processing stage of a document.',
    STAGE_SECONDS,
    ['stage'],
  ),
  knowledgeRefreshes: counter(
    'knowledge_refreshes_total',
    'Scheduled refreshes of URL sources that ended; `shrank`: more than half of the content was missing.',
    ['outcome'],
  ),
  documentsEnded: counter('documents_ended_total', 'Documents whose processing ended.', ['outcome']),
  retrievalTestsBroken: counter(
    'retrieval_tests_broken_total',
    'Retrieval tests that passed before a change of the knowledge and fail after it.',
  ),
  retrievalTestsLostToEmbedder: counter(
    'retrieval_tests_lost_to_embedder_total',
    'Retrieval tests that words alone would pass, in runs that pass fewer with the embedder.',
  ),
  embedderChecks: counter(
    'embedder_checks_total',
    'Comparisons of searches with and without the embedder; `worse`: the embedder loses passages that words alone find.',
    ['outcome'],
  ),
  knowledgeFallbacks: counter(
    'knowledge_fallbacks_total',
    'Questions that were searched by words alone although an embedder is configured; `late`: no vector in time.',
    ['cause'],
  ),
  refreshesHeld: counter(
    'knowledge_refreshes_held_total',
    'Refreshes of knowledge bases that were held back, because retrieval tests would fail.',
  ),

  // The role embedder; kind: query, passage.
  embedderSeconds: histogram(
    'embedder_seconds',
    'From the request for a vector to the vector, with the time in the queue of the embedder.',
    REQUEST_SECONDS.concat(30, 60),
    ['kind'],
  ),
  embedderWaiting: gauge('embedder_waiting', 'Texts that wait in the queue of the embedder.', ['kind']),
  embedderRefused: counter('embedder_refused_total', 'Requests that found the queue of the embedder full.', ['kind']),

  // Invariants: 0 while they hold. Read by every worker.
  callsStuck: gauge('calls_stuck', 'Calls without a live dialer. Must be 0.'),
  deliveriesOverdue: gauge(
    'deliveries_overdue',
    'Webhook streams that are overdue and not leased by a worker. Must be 0.',
  ),
  documentsStuck: gauge('documents_stuck', 'Documents that are due and not leased by a worker. Must be 0.'),
  actionsStuck: gauge(
    'tool_actions_stuck',
    'Tool invocations that exceeded their time limit without an end. Must be 0.',
  ),
  dialersLost: gauge('dialers_lost', 'Dialers with an expired lease whose calls have not been ended. Must be 0.'),
  retentionOverdue: gauge('retention_overdue', 'Items more than a day past their retention. Must be 0.'),
  checkedAt: gauge('invariants_checked_timestamp_seconds', 'When the invariants were last read (Unix time).'),

  // The process.
  poolConnections: gauge('db_pool_connections', 'Connections of this process to the database.', ['state']),
  poolWaiting: gauge('db_pool_waiting', 'Requests that wait for a connection.'),
  poolSize: gauge('db_pool_size', 'Maximum number of connections of this process.'),
  sipCertificateExpires: absentGauge(
    'sip_tls_certificate_expires_timestamp_seconds',
    'Expiry of the certificate of SIP over TLS (Unix time).',
  ),
  storageFreeBytes: absentGauge('storage_free_bytes', 'Free disk space of the file storage; absent for S3.'),

  // Retention.
  expiredDeleted: counter('retention_deleted_total', 'Items deleted at the end of their retention.', ['kind']),
};

let collecting = false;

/** Starts the collectors that cost time between scrapes: event loop lag, memory, garbage collection. Once per process. */
export function collectProcessMetrics(role: string): void {
  metrics.buildInfo.set({ version: VERSION, role }, 1);
  if (collecting) return;
  collecting = true;
  collectDefaultMetrics({ register: registry });
}

interface PoolCounts {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
  options: { max?: number };
}

let watchedPool: PoolCounts | undefined;

/** Exports the state of the connection pool of this process at each scrape. */
export function watchPool(pool: PoolCounts): void {
  watchedPool = pool;
}

function readPool({ totalCount, idleCount, waitingCount, options }: PoolCounts): void {
  metrics.poolConnections.set({ state: 'idle' }, idleCount);
  metrics.poolConnections.set({ state: 'busy' }, totalCount - idleCount);
  metrics.poolWaiting.set(waitingCount);
  metrics.poolSize.set(options.max ?? 10);
}

const scrapes = new Set<() => void | Promise<void>>();

/** Runs `read` before each scrape; a metric that it cannot read keeps its value. The returned function removes it. */
export function beforeScrape(read: () => void | Promise<void>): () => void {
  scrapes.add(read);
  return () => scrapes.delete(read);
}

/** The exposition in Prometheus' text format, and its content type. */
export async function metricsText(): Promise<{ type: string; text: string }> {
  if (watchedPool) readPool(watchedPool);
  await Promise.allSettled([...scrapes].map(async (read) => read()));
  return { type: registry.contentType, text: await registry.metrics() };
}
