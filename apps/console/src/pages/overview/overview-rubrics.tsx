import type { VNode } from 'preact';
import { ask, download, type Query } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { RubricAnalytics, RubricRow } from '../../api/types.js';
import { Icon } from '../../components/icons.js';
import { useRead } from '../../components/lists.js';
import { Card, Trouble, useAct } from '../../components/parts.js';
import { TimeChart } from '../../components/time-chart.js';
import { intervalName, type OverviewState, shownRatio } from '../../logic/analytics.js';
import { words } from '../../logic/format.js';
import { agentOf, answersOf, rubricLines, rubricQuery, rubricsHave, shownMean } from '../../logic/rubrics.js';

interface Answers {
  lines: RubricAnalytics;
  totals: RubricAnalytics;
}

async function read(state: OverviewState, signal: AbortSignal): Promise<Answers> {
  const rubrics = (query: Query) => ask<RubricAnalytics>('GET', apiPath`analytics/rubrics`, { query, signal });
  const [lines, totals] = await Promise.all([
    rubrics(rubricQuery(state, 'lines')),
    rubrics(rubricQuery(state, 'totals')),
  ]);
  return { lines, totals };
}

const CHARTS = [
  { type: 'boolean', title: 'Share of yes answers', format: shownRatio },
  { type: 'score', title: 'Mean scores, 1 to 5', format: shownMean },
] as const;

/** The answers to the rubric questions of agents, if there are any in the range. `every`: milliseconds between two reads. */
export function Rubrics({ state, every }: { state: OverviewState; every: number }): VNode {
  const { data, error } = useRead(
    JSON.stringify(state),
    (signal) => read(state, signal),
    () => every,
  );
  if (!data || data.totals.data.length === 0) return <Trouble error={error} />;
  if (!rubricsHave(state))
    return (
      <Card title="Rubric results" name="rubrics">
        <p class="hint">Available by agent and version only. Remove the other filters to see them.</p>
      </Card>
    );
  const { lines, totals } = data;
  return (
    <>
      <Card title="Rubric results" name="rubrics" aside={<Export state={state} />}>
        <Questions all={totals.data} />
      </Card>
      <div class="charts">
        {CHARTS.filter(({ type }) => totals.data.some((row) => row.type === type)).map(({ type, title, format }) => (
          <Card key={type} title={title} name={`chart-${type}`}>
            <TimeChart
              title={title}
              times={lines.meta.intervals}
              lines={rubricLines(lines, totals.data, type)}
              zone={lines.meta.time_zone}
              nameOf={(start) => intervalName(start, lines.meta.interval)}
              format={format}
            />
          </Card>
        ))}
      </div>
    </>
  );
}

function Export({ state }: { state: OverviewState }): VNode {
  const { run, isBusy, said } = useAct();
  const save = (): void =>
    run(async () => {
      await download(apiPath`analytics/rubrics`, 'rubrics.csv', { ...rubricQuery(state, 'lines'), format: 'csv' });
      return 'CSV downloaded.';
    });
  return (
    <div class="head-actions">
      <button
        type="button"
        data-act="rubrics-csv"
        aria-label="CSV of rubric results"
        aria-disabled={isBusy}
        onClick={save}
      >
        <Icon name="download" />
        CSV
      </button>
      {said}
    </div>
  );
}

/** The questions with their answers in the whole range. */
const Questions = ({ all }: { all: readonly RubricRow[] }): VNode => (
  <div class="table-place" tabIndex={0} role="region" aria-label="Questions and answers">
    <table class="table rubrics">
      <caption class="unseen">Rubric results</caption>
      <thead>
        <tr>
          {['Question', 'Agent', 'Answers', 'Calls', 'Answered'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {all.map((row) => (
          <tr key={`${row.agent_id} ${row.agent_version} ${row.name} ${row.type}`} data-question={row.name}>
            <th scope="row">{words(row.name)}</th>
            <td>{agentOf(row)}</td>
            <td>{answersOf(row)}</td>
            <td>{row.calls.toLocaleString('en-US')}</td>
            <td>{row.answered.toLocaleString('en-US')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
