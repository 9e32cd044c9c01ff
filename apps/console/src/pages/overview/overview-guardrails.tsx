import type { VNode } from 'preact';
import { ask } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { GuardrailAnalytics } from '../../api/types.js';
import { useRead } from '../../components/lists.js';
import { Card, Trouble } from '../../components/parts.js';
import type { OverviewState } from '../../logic/analytics.js';
import { words } from '../../logic/format.js';
import { rubricQuery } from '../../logic/rubrics.js';

async function read(state: OverviewState, signal: AbortSignal): Promise<GuardrailAnalytics> {
  const { date_from, date_to, time_zone, agent_id } = rubricQuery(state, 'totals');
  const query = { date_from, date_to, time_zone, agent_id };
  return ask<GuardrailAnalytics>('GET', apiPath`analytics/guardrails`, { query, signal });
}

/** How often the rules of agents applied, if any did in the range. `every`: milliseconds between two reads. */
export function Guardrails({ state, every }: { state: OverviewState; every: number }): VNode | null {
  const { data, error } = useRead(
    `guardrails ${JSON.stringify(state)}`,
    (signal) => read(state, signal),
    () => every,
  );
  if (error) return <Trouble error={error} />;
  if (!data || data.data.length === 0) return null;
  return (
    <Card title="Rules that applied" name="guardrails">
      <div class="table-place" tabIndex={0} role="region" aria-label="Rules that applied">
        <table class="table">
          <caption class="unseen">Rules that applied</caption>
          <thead>
            <tr>
              {['Rule', 'Agent', 'Action', 'Times', 'Calls'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.data.map((row) => (
              <tr key={`${row.agent_id} ${row.name} ${row.on} ${row.action}`} data-rule={row.name}>
                <th scope="row">{words(row.name)}</th>
                <td>{row.agent_name}</td>
                <td>{words(row.action)}</td>
                <td>{row.hits.toLocaleString('en-US')}</td>
                <td>{row.calls.toLocaleString('en-US')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
