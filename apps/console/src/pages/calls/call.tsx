import { computed } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { CallData, type Watching } from '../../api/call-data.js';
import { ApiError, ask, download, request } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import { type Call, isLive, type WholeAgent, type WholeCall } from '../../api/types.js';
import { Icon } from '../../components/icons.js';
import {
  announce,
  BackLink,
  Card,
  ConfirmButton,
  CopyButton,
  type Fact,
  Facts,
  Page,
  Pill,
  Time,
  Trouble,
  useAct,
  useKeptFocus,
  useTitle,
  Waiting,
} from '../../components/parts.js';
import { ActButton, May } from '../../components/permissions.js';
import type { Params } from '../../components/router.js';
import { CAUSES, shownStatus } from '../../logic/call-status.js';
import { conversationOf, type Entry } from '../../logic/conversation.js';
import { dollars, words } from '../../logic/format.js';
import { listenersOf } from '../../logic/listeners.js';
import { farName } from '../../logic/speakers.js';
import { timelineOf } from '../../logic/timeline.js';
import { CallAnalysis, hasAnalyses, useAnalyses } from './call-analysis.js';
import { Playback, Player, StoryChart } from './call-chart.js';
import { FlowCard, hasFlow } from './call-flow.js';
import { Commands, LiveControl } from './call-control.js';
import { ListenCard } from './call-listen.js';
import { Costs, Details, ToolCalls, Transfers } from './call-record.js';
import { QualityAndLatency } from './call-quality.js';
import { Conversation, KnowledgeUsed } from './call-talk.js';
import { Ladder, Timeline } from './call-wire.js';
import { Duration, remoteNumber } from './calls.js';
import { Deliveries, NoDeliveries } from '../webhooks/deliveries.js';

/** Everything about one call, followed while it is live. */
export function CallPage({ params: { id = '' } }: { params: Params }): VNode {
  const data = useMemo(() => new CallData(id), [id]);
  const place = useRef<HTMLDivElement>(null);
  useKeptFocus(place, (page) => page.querySelector('h1'));
  useEffect(() => {
    void data.open();
    return () => data.close();
  }, [data]);
  const call = data.call.value;
  const { call: error, ...others } = data.trouble.value;
  if (!call && error !== undefined) return <NoCall error={error} />;
  return (
    <div ref={place} class="page call-page">
      <Trouble error={error ?? others.wire ?? others.tools} />
      {call ? <CallParts call={call} data={data} /> : <Opening />}
    </div>
  );
}

function Opening(): VNode {
  useTitle('Call');
  return (
    <>
      <h1 class="unseen">Call</h1>
      <Waiting what="the call" />
    </>
  );
}

const NoCall = ({ error }: { error: unknown }): VNode => (
  <Page
    title={error instanceof ApiError && error.status === 404 ? 'Call not found' : 'Error'}
    back={['#/calls', 'Back to calls']}
  >
    <Trouble error={error} />
  </Page>
);

/** The parts in the order of the page: heading, name, and whether it is left out. */
const JUMPS = [
  ['Listen', 'listen'],
  ['Overview', 'story'],
  ['Control', 'control'],
  ['Conversation', 'talk'],
  ['Details', 'details'],
  ['Flow', 'flow'],
  ['Analysis', 'analysis'],
  ['Quality', 'quality'],
  ['Tools', 'tools'],
  ['Knowledge', 'knowledge'],
  ['Transfers', 'transfers'],
  ['Cost', 'costs'],
  ['Webhooks', 'deliveries'],
  ['SIP', 'ladder'],
  ['Timeline', 'timeline'],
] as const;

function CallParts({ call, data }: { call: WholeCall; data: CallData }): VNode {
  const entries = useMemo(() => computed(() => conversationOf(data.events.value, data.words.value)), [data]).value;
  const playback = useMemo(() => new Playback(), [data]);
  const analyses = useAnalyses(call);
  const { value: diagnostics } = data.diagnostics;
  const { value: deliveries } = data.deliveries;
  const hasControl = call.status === 'in_progress' || data.commands.value.length > 0;
  const far = farName(call);
  const isInFlow = hasFlow({ call, events: data.events.value });
  useTitle(`${words(call.status)}: ${call.channel === 'web' ? remoteNumber(call) : call.to_number}`);
  useStatusAnnounced(call);
  return (
    <div class="call-parts">
      <CallHead call={call} watching={data.watching.value} />
      <Jumps
        without={[
          ...emptyParts(call),
          !isLive(call) && 'listen',
          !hasControl && 'control',
          !hasAnalyses(analyses) && 'analysis',
          !isInFlow && 'flow',
        ]}
      />
      {isLive(call) && (
        <ListenCard call={call} entries={entries} far={far} listeners={listenersOf(data.events.value)} />
      )}
      <Card title="At a glance" name="story">
        <p class="summary-text">{summaryOf(call)}</p>
        <StoryChart call={call} entries={entries} diagnostics={diagnostics} far={far} playback={playback} />
        <Player call={call} playback={playback} renew={() => data.readCall()} />
      </Card>
      {hasControl && <Control call={call} data={data} />}
      <div class="side">
        <Card title="Conversation" name="talk">
          <Conversation call={call} entries={entries} far={far} playback={playback} />
        </Card>
        <Card title="Details" name="details">
          <Details call={call} />
        </Card>
      </div>
      {isInFlow && <FlowCard call={call} events={data.events.value} />}
      <Findings call={call} data={data} entries={entries}>
        {hasAnalyses(analyses) && (
          <CallAnalysis call={call} analyses={analyses} onJump={(ms) => showPlace(entries, ms, playback)} />
        )}
      </Findings>
      <Card title="Webhook deliveries" name="deliveries">
        <May scope="webhooks:read" says>
          <Trouble error={data.trouble.value.deliveries} />
          <Deliveries all={deliveries ?? []} empty={<NoDeliveries />} onReplayed={() => data.followDeliveries()} />
        </May>
      </Card>
      <Card title="SIP ladder" name="ladder">
        {diagnostics ? <Ladder call={call} diagnostics={diagnostics} /> : <Waiting what="the signalling" />}
      </Card>
      <Card title="Timeline" name="timeline">
        <Timeline call={call} moments={timelineOf(call, data.events.value, diagnostics)} />
      </Card>
    </div>
  );
}

const isMeasured = ({ quality, talk }: WholeCall): boolean => quality !== null || talk !== null;

const emptyParts = (call: WholeCall): (string | false)[] => [
  call.transfers.length === 0 && 'transfers',
  call.costs.length === 0 && 'costs',
  !isMeasured(call) && 'quality',
];

interface FindingsParts {
  call: WholeCall;
  data: CallData;
  entries: readonly Entry[];
  children: ComponentChildren;
}

/** What was read out of the call, what the agent did, and what the call cost. `children`: the first part. */
const Findings = ({ call, data, entries, children }: FindingsParts): VNode => (
  <div class="side">
    {children}
    <Card title="Quality and latency" name="quality" hidden={!isMeasured(call)}>
      <QualityAndLatency call={call} />
    </Card>
    <Card title="Tool calls" name="tools">
      <ToolCalls all={data.toolCalls.value} />
    </Card>
    <Card title="Knowledge used" name="knowledge">
      <KnowledgeUsed call={call} entries={entries} />
    </Card>
    <Card title="Transfers" name="transfers" hidden={call.transfers.length === 0}>
      <Transfers all={call.transfers} />
    </Card>
    <Card title="Cost" name="costs" hidden={call.costs.length === 0}>
      <Costs call={call} />
    </Card>
  </div>
);

const Control = ({ call, data }: { call: WholeCall; data: CallData }): VNode =>
  isLive(call) ? (
    <LiveControl call={call} data={data} />
  ) : (
    <Card title="Commands" name="control">
      <Commands all={data.commands.value} call={call} />
    </Card>
  );

function useStatusAnnounced({ status }: Call): void {
  const before = useRef(status);
  useEffect(() => {
    if (before.current !== status) announce(`The call is now ${words(status).toLowerCase()}.`);
    before.current = status;
  }, [status]);
}

/** The service's summary of a call; empty during the call. */
function summaryOf({ summary, transcript_deleted_at: deleted }: WholeCall): string {
  if (deleted !== null) return 'Summary and transcript were deleted after their retention period.';
  return summary ?? '';
}

/** Goes to a part of the page. The router owns the fragment, so these are buttons. */
const Jumps = ({ without }: { without: readonly (string | false)[] }): VNode => (
  <nav class="jumps" aria-label="Sections">
    {JUMPS.filter(([, name]) => !without.includes(name)).map(([label, name]) => (
      <button key={name} type="button" class="quiet" data-jump={name} onClick={() => jumpTo(name)}>
        {label}
      </button>
    ))}
  </nav>
);

/** Scrolls to the entry of the conversation that runs at this time, and plays the recording from there. */
function showPlace(entries: readonly Entry[], ms: number, playback: Playback): void {
  const entry = entries.findLast(({ atMs }) => atMs <= ms) ?? entries[0];
  const place =
    entry && document.querySelector<HTMLElement>(`[data-part="talk"] [data-key="${CSS.escape(entry.key)}"]`);
  place?.scrollIntoView({ block: 'center' });
  playback.playFrom(ms);
}

function jumpTo(name: string): void {
  const part = document.querySelector<HTMLElement>(`[data-part="${name}"]`);
  part?.scrollIntoView({ block: 'start' });
  const heading = part?.querySelector('h2');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
}

/** The header of a call: status, facts and actions. */
function CallHead({ call, watching }: { call: Call; watching: Watching }): VNode {
  const head = useRef<HTMLElement>(null);
  useKeptFocus(head, (place) => place.querySelector('h1'));
  // A sentence about the buttons of a live call does not stay with those of an ended one.
  return (
    <header ref={head} class="call-head">
      <BackLink href="#/calls" label="Calls" />
      <div class="split">
        <div>
          <h1 class="number" tabIndex={-1}>
            {remoteNumber(call)}
          </h1>
          <div class="status-line">
            <Pill status={shownStatus(call)} />
            <span class="muted">{sentenceOf(call)}</span>
            {isLive(call) && (
              <span class={`watching ${watching}`}>
                <span class="live-dot" />
                {watching === 'interrupted' ? 'reconnecting…' : 'live'}
              </span>
            )}
          </div>
        </div>
        {isLive(call) ? <LiveActions call={call} /> : <EndedActions call={call} />}
      </div>
      {call.failure && (
        <p class="notice bad" data-role="failure">
          <Icon name="warn" />
          <span>{call.failure.message}</span>
        </p>
      )}
      <div class="facts-place">
        <Facts all={factsOf(call)} />
      </div>
    </header>
  );
}

function LiveActions({ call: { call_id: id, status } }: { call: Call }): VNode {
  const { run, isBusy, said } = useAct();
  const end = (): void =>
    run(async () => {
      await request('POST', apiPath`calls/${id}/cancel`);
      return 'The call is ending.';
    });
  return (
    <div class="head-actions">
      <div class="actions">
        <CopyButton text={id} what="the call ID" name="ID" />
        <ActButton scope="calls:write" class="danger" data-act="end" isBusy={isBusy} onClick={end}>
          <Icon name="hang" />
          {status === 'in_progress' ? 'Hang up' : 'Cancel'}
        </ActButton>
      </div>
      {said}
    </div>
  );
}

function EndedActions({ call }: { call: Call }): VNode {
  const { call_id: id, agent_id: agentId } = call;
  const number = remoteNumber(call);
  const { run, isBusy, said } = useAct();
  const remove = (): void =>
    run(async () => {
      await request('DELETE', apiPath`calls/${id}`);
      announce('The call was deleted.');
      location.hash = '#/calls';
    });
  const save = (): void => run(() => download(apiPath`calls/${id}/diagnostics/sip.pcap`, `${id}.pcap`));
  const keep = (agent: number) => (): void => run(() => keepAsScenario(id, agent));
  return (
    <div class="head-actions">
      <div class="actions">
        <CopyButton text={id} what="the call ID" name="ID" />
        {call.channel !== 'web' && (
          <button type="button" title="SIP messages for Wireshark" aria-disabled={isBusy} onClick={save}>
            <Icon name="download" />
            PCAP
          </button>
        )}
        {agentId !== null && (
          <ActButton scope="agents:write" data-act="scenario" isBusy={isBusy} onClick={keep(agentId)}>
            Save as scenario
          </ActButton>
        )}
        <ConfirmButton
          scope="calls:write"
          verb="Delete"
          what={call.channel === 'web' ? 'this web call' : `the call with ${number}`}
          onSure={remove}
        >
          <p>Its recording, transcript and webhooks are deleted as well, also webhooks that were not delivered yet.</p>
        </ConfirmButton>
      </div>
      {said}
    </div>
  );
}

/** Adds the call to the scenarios of its agent. @returns what was done */
async function keepAsScenario(callId: string, agentId: number): Promise<string> {
  const { data } = await ask<{ data: { scenario: Record<string, unknown> } }>('GET', apiPath`calls/${callId}/scenario`);
  const { data: agent } = await ask<{ data: WholeAgent }>('GET', apiPath`agents/${agentId}`);
  const name = `call-${callId}.yaml`;
  const scenarios = [...agent.scenarios.filter((one) => one.name !== name), { name, scenario: data.scenario }];
  await request('PATCH', apiPath`agents/${agentId}`, { body: { scenarios } });
  return `The agent has the scenario ${name}.`;
}

function sentenceOf({ channel, direction, agent, from_number: from, to_number: to }: Call): string {
  if (channel === 'web') return `In the browser, with ${agent}`;
  return direction === 'inbound' ? `Inbound to ${to}, answered by ${agent}` : `Outbound from ${from}, agent ${agent}`;
}

function startOf({ scheduled_for: scheduled, started_at: started, ended_at: ended }: Call): Fact {
  if (scheduled !== null) return ['Scheduled for', <Time iso={scheduled} />];
  if (started === null) return ['Started', ended === null ? 'Queued' : 'Not placed'];
  return ['Started', <Time iso={started} />];
}

function factsOf(call: Call): Fact[] {
  const all: Fact[] = [
    startOf(call),
    ['Duration', <Duration call={call} />],
    ['Cost', call.cost === null ? '–' : dollars(call.cost)],
  ];
  if (call.ended_by !== null) all.push(['Ended by', words(call.ended_by)]);
  if (call.hangup_cause !== null) all.push(['Cause', CAUSES[call.hangup_cause]]);
  if (call.sip_code !== null) all.push(['SIP', String(call.sip_code)]);
  const consent = call.recording_consent;
  if (consent !== null) all.push(['Recording', words(consent.result)]);
  const { disclosure, guardrail_hits: hits } = call;
  if (disclosure !== null)
    all.push(['Disclosure', disclosure.heard_ms < disclosure.of_ms ? 'Heard in part' : 'Heard completely']);
  if (hits.length > 0) all.push(['Rules applied', [...new Set(hits.map(({ name }) => name))].join(', ')]);
  const machine = call.answering_machine;
  if (machine !== null)
    all.push(['Answered by', `${words(machine.result)}, ${Math.round(machine.confidence * 100)} %`]);
  else if (call.answered_by !== null) all.push(['Answered by', words(call.answered_by)]);
  return all;
}
