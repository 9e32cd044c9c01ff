import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { apiPath } from '../../api/path.js';
import { agentsOf } from '../../api/records.js';
import { type Call, isLive, type ListedCall, type ListOf } from '../../api/types.js';
import { countOf, Filters } from '../../components/filters.js';
import { Icon } from '../../components/icons.js';
import { Loaded, Rows, Steps, usePaged, useRead } from '../../components/lists.js';
import { announce, Empty, Pill, Running, Time, useTitle } from '../../components/parts.js';
import { May } from '../../components/permissions.js';
import { Days, momentOf, pageOfAddress, place, QueryChoice, setQuery } from '../../components/router.js';
import { SearchBox } from '../../components/search-box.js';
import { shownStatus } from '../../logic/call-status.js';
import { clock, dollars, plural, splitAtWords, words } from '../../logic/format.js';
import { DialBox } from './dial-box.js';

const LIVE_MS = 1_500;
const CALM_MS = 5_000;
const LIVE = ['pending', 'ringing', 'in_progress'];
const OUTCOMES = ['completed', 'busy', 'no_answer', 'failed', 'cancelled'];

const DIRECTIONS = [
  ['', 'Both directions'],
  ['outbound', 'Outbound'],
  ['inbound', 'Inbound'],
] as const;

const CHANNELS = [
  ['', 'Phone and web'],
  ['phone', 'Phone'],
  ['web', 'Web'],
] as const;

const SCHEDULES = [
  ['', 'Any time'],
  ['true', 'Scheduled'],
  ['false', 'Not scheduled'],
] as const;

const TESTS = [
  ['', 'Including test calls'],
  ['false', 'Excluding test calls'],
] as const;

/** The filters of the address as the API knows them. */
function filtersOf(query: URLSearchParams): Record<string, string | undefined> {
  const names = [
    'status',
    'direction',
    'scheduled',
    'include_tests',
    'agent_id',
    'campaign_id',
    'search',
    'transcript',
  ];
  const named = names.map((name) => [name, query.get(name) ?? undefined]);
  return {
    ...Object.fromEntries(named),
    channel: query.get('channel') ?? undefined,
    date_from: momentOf(query.get('from'), '00:00'),
    date_to: momentOf(query.get('to'), '23:59:59.999'),
  };
}

/** The list of calls with its filters, read again while the page is open. */
export function CallsPage(): VNode {
  useTitle('Calls');
  const filters = filtersOf(place.value.query);
  const calls = usePaged<ListedCall>(apiPath`calls`, {
    query: { ...filters, channel: filters['channel'] ?? 'any' },
    every: ({ data }) => (data.some(isUnderWay) ? LIVE_MS : CALM_MS),
    at: pageOfAddress(),
  });
  useChangesAnnounced(calls.data?.data);
  const count = countOf(filters);
  return (
    <div class="page with-aside">
      <section class="main-column">
        <header class="page-head">
          <h1>Calls</h1>
          <div class="muted" data-role="summary">
            {calls.data && <Summary list={calls.data} />}
          </div>
        </header>
        <CallFilters count={count} />
        <Loaded of={calls} what="calls">
          {({ data }) => (
            <Rows
              items={data}
              keyOf={(call) => call.call_id}
              row={(call) => <CallRow call={call} />}
              empty={count > 0 ? <NoSuchCalls /> : <NoCalls />}
              class="rows calls"
              label="Calls"
            />
          )}
        </Loaded>
        <Steps of={calls} label="Pages of calls" />
      </section>
      <aside aria-label="Place a call">
        <DialBox />
      </aside>
    </div>
  );
}

/** Live, and not waiting for the time of its schedule. */
const isUnderWay = (call: Call): boolean => isLive(call) && call.scheduled_for === null;

function Summary({ list: { data, meta } }: { list: ListOf<Call> }): VNode {
  const live = data.filter(isUnderWay).length;
  const total = `${meta.total_is_estimate ? 'about ' : ''}${plural(meta.total, 'call')}`;
  return live > 0 ? (
    <>
      <span class="live-dot" />
      {`${live} live · ${total}`}
    </>
  ) : (
    <>{total}</>
  );
}

function CallFilters({ count }: { count: number }): VNode {
  const agents = useRead('agents', agentsOf).data ?? [];
  return (
    <Filters count={count}>
      <SearchBox name="search" label="Search" placeholder="Number, SIP URI or call ID" />
      <SearchBox name="transcript" label="Search transcripts" placeholder="Words in the conversation" />
      <Outcomes />
      <QueryChoice name="direction" label="Direction" options={DIRECTIONS} />
      <QueryChoice name="channel" label="Channel" options={CHANNELS} />
      <QueryChoice name="scheduled" label="Schedule" options={SCHEDULES} />
      <QueryChoice name="include_tests" label="Test calls" options={TESTS} />
      <QueryChoice
        name="agent_id"
        label="Agent"
        options={[['', 'Any agent'], ...agents.map(({ id, name }) => [id, name] as const)]}
      />
      <Days />
      {count > 0 && (
        <button type="button" class="quiet" onClick={() => setQuery(NO_FILTERS)}>
          Clear filters
        </button>
      )}
    </Filters>
  );
}

const NO_FILTERS = {
  status: '',
  direction: '',
  channel: '',
  scheduled: '',
  include_tests: '',
  agent_id: '',
  campaign_id: '',
  search: '',
  transcript: '',
  from: '',
  to: '',
  page: '',
};

function Outcomes(): VNode {
  const chosen = place.value.query.get('status') ?? '';
  const options = (all: readonly string[]): VNode[] =>
    all.map((one) => (
      <option key={one} value={one} selected={one === chosen}>
        {words(one)}
      </option>
    ));
  return (
    <select
      aria-label="Status or outcome"
      onChange={(event) => setQuery({ status: event.currentTarget.value, page: '' })}
    >
      <option value="">Any outcome</option>
      <optgroup label="Live">{options(LIVE)}</optgroup>
      <optgroup label="Outcome">{options(OUTCOMES)}</optgroup>
    </select>
  );
}

/** Announces new statuses of calls that were in the list before. */
function useChangesAnnounced(calls: readonly Call[] | undefined): void {
  const before = useRef(new Map<string, string>());
  useEffect(() => {
    if (!calls) return;
    const known = before.current;
    const changed = calls.filter(({ call_id, status }) => known.has(call_id) && known.get(call_id) !== status);
    if (changed.length > 0) announce(changed.map((call) => `${titleOf(call)}: ${words(call.status)}.`).join(' '));
    before.current = new Map(calls.map(({ call_id, status }) => [call_id, status]));
  }, [calls]);
}

const titleOf = (call: Call): string =>
  call.channel === 'web' ? `Web call with ${call.agent}` : `Call to ${call.to_number}`;

const NoSuchCalls = (): VNode => (
  <Empty icon="search" title="No matching calls">
    <p>No calls match these filters.</p>
    <button type="button" onClick={() => setQuery(NO_FILTERS)}>
      Clear filters
    </button>
  </Empty>
);

const NoCalls = (): VNode => (
  <Empty icon="phone" title="No calls yet">
    <May scope="calls:write">
      <p>Place the first one with the form on this page. The sandbox phone answers without a carrier.</p>
    </May>
  </Empty>
);

/** A row of the call list that links to the page of the call. */
function CallRow({ call }: { call: ListedCall }): VNode {
  const inbound = call.direction === 'inbound';
  const isWeb = call.channel === 'web';
  return (
    <a href={`#/calls/${call.call_id}`} class="row" data-focus={call.call_id} data-call={call.call_id}>
      <Pill status={shownStatus(call)} />
      <span class="who">
        <span class="remote-number" title={remoteNumber(call)}>
          <Icon name={isWeb ? 'web' : inbound ? 'in' : 'out'} />
          <span class="unseen">{isWeb ? '' : inbound ? ' from ' : ' to '}</span>
          {remoteNumber(call)}
        </span>
        <span class="muted small">
          {isWeb ? `${call.agent} · in the browser` : `${call.agent} · ${inbound ? call.to_number : call.from_number}`}
        </span>
      </span>
      <span class="when muted">
        {call.scheduled_for === null ? (
          <Time iso={call.started_at ?? call.created_at} />
        ) : (
          <>
            for <Time iso={call.scheduled_for} />
          </>
        )}
      </span>
      <span class="long">
        <Duration call={call} />
      </span>
      <span class="price muted">{outcomeOf(call)}</span>
      {call.failure && (
        <span class="why small" data-role="failure">
          {call.failure.message}
        </span>
      )}
      {call.transcript_matches?.map(({ started_ms: at, text }) => (
        <Match key={at} at={at} text={text} />
      ))}
    </a>
  );
}

/** A turn that matches the search in transcripts. */
const Match = ({ at, text }: { at: number; text: string }): VNode => (
  <span class="match small">
    <span class="muted">{clock(at / 1_000)}</span>{' '}
    {splitAtWords(text, place.value.query.get('transcript') ?? '').map((part, index) =>
      index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
    )}
  </span>
);

export const remoteNumber = (call: Call): string =>
  call.channel === 'web' ? 'Web call' : call.direction === 'inbound' ? call.from_number : call.to_number;

/** The time since the answer; it counts up during the call. */
export function Duration({ call }: { call: Call }): VNode {
  if (call.answered_at !== null && isLive(call)) return <Running since={call.answered_at} />;
  return <>{call.duration_seconds === null ? '–' : clock(call.duration_seconds)}</>;
}

function outcomeOf({ cost, hangup_cause, status }: Call): string {
  if (cost !== null) return dollars(cost);
  return hangup_cause === null || status === 'completed' || hangup_cause.includes(status) ? '' : words(hangup_cause);
}
