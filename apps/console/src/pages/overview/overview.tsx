import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ask, download, type Query } from '../../api/client.js';
import { may } from '../../api/me.js';
import { apiPath } from '../../api/path.js';
import type { Analytics, Call, ListOf } from '../../api/types.js';
import { Icon } from '../../components/icons.js';
import { Loaded, useRead } from '../../components/lists.js';
import { Card, Empty, Page, useAct } from '../../components/parts.js';
import { place, setQuery } from '../../components/router.js';
import { TimeChart } from '../../components/time-chart.js';
import {
  analyticsQuery,
  CHARTS,
  intervalName,
  linesOf,
  metricsOf,
  type MetricName,
  type OverviewState,
  overviewOf,
  shownValue,
  titleOf,
} from '../../logic/analytics.js';
import { plural } from '../../logic/format.js';
import { FirstStepsHere } from '../calls/dial-box.js';
import { LiveCalls } from './live-calls.js';
import { OverviewFilters } from './overview-filters.js';
import { Guardrails } from './overview-guardrails.js';
import { Rubrics } from './overview-rubrics.js';

const REFRESH_MS = 30_000;
/** Calls that have just ended are counted within seconds. */
const PENDING_MS = 5_000;

const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

interface Shown {
  lines: Analytics;
  totals: Analytics;
  /** The account has placed or received a call at any time. */
  hasCalls: boolean;
}

async function read(state: OverviewState, signal: AbortSignal): Promise<Shown> {
  const analytics = (query: Query) => ask<Analytics>('GET', apiPath`analytics`, { query, signal });
  const [lines, totals] = await Promise.all([
    analytics(analyticsQuery(state, 'lines')),
    analytics(analyticsQuery(state, 'totals')),
  ]);
  if (totals.data.length > 0 || totals.meta.pending > 0) return { lines, totals, hasCalls: true };
  if (!may('calls:read')) return { lines, totals, hasCalls: true };
  const { data } = await ask<ListOf<Call>>('GET', apiPath`calls`, { query: { per_page: 1, channel: 'any' }, signal });
  return { lines, totals, hasCalls: data.length > 0 };
}

/** The first page: how the agents of the account do, by time. The address holds everything that was chosen. */
export function OverviewPage(): VNode {
  const state = overviewOf(place.value.query, ownZone());
  useEffect(() => {
    // A link shows the same intervals in every time zone.
    if (!place.value.query.has('zone')) setQuery({ zone: state.zone });
  }, []);
  const shown = useRead(
    JSON.stringify(state),
    (signal) => read(state, signal),
    ({ totals }) => (totals.meta.pending > 0 ? PENDING_MS : REFRESH_MS),
  );
  return (
    <Page title="Overview" aside={<Export state={state} />}>
      <LiveCalls />
      <OverviewFilters state={state} />
      <Loaded of={shown} what="the overview">
        {(all) => <Figures all={all} state={state} />}
      </Loaded>
    </Page>
  );
}

function Export({ state }: { state: OverviewState }): VNode {
  const { run, isBusy, said } = useAct();
  const save = (): void =>
    run(async () => {
      await download(apiPath`analytics`, 'analytics.csv', { ...analyticsQuery(state, 'lines'), format: 'csv' });
      return 'CSV downloaded.';
    });
  return (
    <div class="head-actions">
      <button type="button" data-act="csv" aria-disabled={isBusy} onClick={save}>
        <Icon name="download" />
        CSV
      </button>
      {said}
    </div>
  );
}

function Figures({ all: { lines, totals, hasCalls }, state }: { all: Shown; state: OverviewState }): VNode {
  if (!hasCalls) return <NoCalls />;
  const { pending } = totals.meta;
  if (totals.data.length === 0 && pending === 0) return <NoSuchCalls state={state} />;
  return (
    <>
      <Totals values={totals.data[0]?.values ?? {}} known={metricsOf({ ...state, groupBy: [] })} />
      <p class="muted small" role="status">
        {pending > 0 && `${plural(pending, 'recent call')} still being counted.`}
      </p>
      <div class="charts">
        {CHARTS.filter(({ metrics }) => lines.meta.metrics.includes(metrics[0])).map((chart) => (
          <Card key={chart.name} title={titleOf(chart, lines)} name={`chart-${chart.name}`}>
            <TimeChart
              title={titleOf(chart, lines)}
              times={lines.meta.intervals}
              lines={linesOf(lines, chart.metrics)}
              zone={lines.meta.time_zone}
              nameOf={(start) => intervalName(start, lines.meta.interval)}
              format={(value) => shownValue(chart.metrics[0], value)}
            />
          </Card>
        ))}
      </div>
      <Rubrics state={state} every={pending > 0 ? PENDING_MS : REFRESH_MS} />
      <Guardrails state={state} every={pending > 0 ? PENDING_MS : REFRESH_MS} />
    </>
  );
}

const NoSuchCalls = ({ state }: { state: OverviewState }): VNode => (
  <div class="card" role="status">
    <Empty icon="search" title="No calls in this range">
      <p>No ended calls match the range and the filters.</p>
      {state.channel === '' && (
        <button type="button" onClick={() => setQuery({ channel: 'any' }, 'step')}>
          Count web calls as well
        </button>
      )}
    </Empty>
  </div>
);

const NoCalls = (): VNode => (
  <div class="card">
    <Empty icon="gauge" title="No calls yet">
      <p>Charts appear here after your first call ends.</p>
    </Empty>
    <FirstStepsHere />
  </div>
);

/** Figure, and what stands beside it. */
const CARDS: readonly (readonly [label: string, metric: MetricName, ...beside: (readonly [MetricName, string])[]])[] = [
  ['Calls', 'calls', ['answered', 'answered']],
  ['Answer rate', 'answer_rate', ['human', 'people'], ['machine', 'machines']],
  ['Average duration', 'duration_avg', ['duration_p90', 'p90']],
  ['Cost', 'cost', ['cost_avg', 'per answered call']],
  ['Peak concurrent calls', 'peak_concurrency'],
  ['Time to answer', 'time_to_answer_p50', ['time_to_answer_p90', 'p90']],
  ['Response time, p50', 'response_latency_p50', ['response_latency_p90', 'p90'], ['response_latency_p95', 'p95']],
  ['Interruptions', 'interruptions'],
  ['Tool failures', 'tool_failures', ['tool_failure_rate', 'of tool calls']],
  ['Knowledge hit rate', 'knowledge_hit_rate', ['knowledge_searches', 'searches']],
];

interface TotalsParts {
  values: Readonly<Record<string, number | null>>;
  known: readonly MetricName[];
}

/** The figures of the whole range. */
const Totals = ({ values, known }: TotalsParts): VNode => (
  <dl class="totals" aria-label="Key figures">
    {CARDS.filter(([, metric]) => known.includes(metric)).map(([label, metric, ...beside]) => (
      <div key={metric} class="total" data-metric={metric}>
        <dt>{label}</dt>
        <dd>
          <strong>{shownValue(metric, values[metric])}</strong>
          <span class="muted small">
            {beside.map(([other, name]) => `${shownValue(other, values[other])} ${name}`).join(' · ')}
          </span>
        </dd>
      </div>
    ))}
  </dl>
);
