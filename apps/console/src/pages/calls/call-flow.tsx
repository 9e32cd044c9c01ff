import type { VNode } from 'preact';
import { ask } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import { type AgentSettings, type CallEvent, isLive, type WholeCall } from '../../api/types.js';
import { FlowGraph, type StepMark } from '../../components/flow-graph.js';
import { useRead } from '../../components/lists.js';
import { Card } from '../../components/parts.js';
import { rowsOfFlow, type StepKey, type StepRow } from '../../logic/flow-form.js';
import { shapeOf } from '../../logic/flow-graph.js';
import {
  collectedValues,
  type FlowMoment,
  flowMoments,
  shownValue,
  type ShownValue,
  stepsOfFirstAgent,
} from '../../logic/flow-path.js';
import { clock } from '../../logic/format.js';

interface FlowCardParts {
  call: WholeCall;
  events: readonly CallEvent[];
}

/** Whether the call has a flow or was handed over. */
export const hasFlow = ({ call, events }: FlowCardParts): boolean =>
  call.path.length > 0 ||
  call.agents.length > 0 ||
  events.some(({ type }) => type === 'step_entered' || type === 'handed_over');

/** The way of a call through its flow, the values that it collected, and the agents that spoke. */
export function FlowCard({ call, events }: FlowCardParts): VNode {
  const moments = flowMoments(events);
  const values = valuesOf(call, events);
  return (
    <Card title="Flow" name="flow">
      <div class="stack">
        <PathGraph call={call} moments={moments} />
        <div class="flow-record">
          <section aria-label="Path">
            <h3 class="minor">Path</h3>
            <Path call={call} moments={moments} />
          </section>
          <section aria-label="Collected values">
            <h3 class="minor">Collected values</h3>
            {values.length === 0 ? <p class="muted">None.</p> : <Values all={values} />}
          </section>
          {call.agents.length > 0 && (
            <section aria-label="Agents who spoke">
              <h3 class="minor">Agents who spoke</h3>
              <ol class="flow-path">
                {call.agents.map(({ agent_id: id, name, from_ms: from, reason }) => (
                  <li key={`${id} ${from}`}>
                    <a href={`#/agents/${id}`}>{name}</a> <span class="muted">from {clock(from / 1_000)}</span>
                    {reason !== null && reason !== '' && <span class="muted">: {reason}</span>}
                  </li>
                ))}
              </ol>
            </section>
          )}
        </div>
      </div>
    </Card>
  );
}

/** The events have the newest values of a live call; the record has those of an ended one. */
const valuesOf = (call: WholeCall, events: readonly CallEvent[]): ShownValue[] => {
  const live = collectedValues(events);
  if (isLive(call) || call.value_evidence.length === 0) return live;
  return call.value_evidence.map(({ at_ms: atMs, ...value }) => ({ ...value, atMs }));
};

function PathGraph({ call, moments }: { call: WholeCall; moments: readonly FlowMoment[] }): VNode | null {
  const { agent_id: agentId, agent_version: version } = call;
  const { data } = useRead(`flow of ${agentId} ${version}`, async (signal) => {
    if (agentId === null || version === null) return null;
    return (
      await ask<{ data: { settings: AgentSettings } }>('GET', apiPath`agents/${agentId}/versions/${version}`, {
        signal,
      })
    ).data.settings.flow;
  });
  if (!data) return null;
  const flow = rowsOfFlow(data);
  const names = new Map(call.agents.map(({ agent_id: id, name }) => [String(id), name]));
  return (
    <FlowGraph
      label={`Flow of ${call.agent}`}
      shape={shapeOf(flow, (id) => names.get(id) ?? `agent ${id}`)}
      marks={marksOf(flow.steps, call, moments)}
    />
  );
}

function marksOf(
  steps: readonly StepRow[],
  call: WholeCall,
  moments: readonly FlowMoment[],
): ReadonlyMap<StepKey, StepMark> {
  const { steps: entered, isOver } = stepsOfFirstAgent(moments);
  const now = isLive(call) && !isOver ? entered.at(-1) : undefined;
  return new Map(
    steps.flatMap(({ key, name }): [StepKey, StepMark][] => {
      const turns = entered.flatMap((one, index) => (one === name ? [index + 1] : []));
      if (turns.length === 0) return [];
      return [[key, name === now ? { kind: 'live', text: 'Now' } : { kind: 'passed', text: turns.join(', ') }]];
    }),
  );
}

function Path({ call, moments }: { call: WholeCall; moments: readonly FlowMoment[] }): VNode {
  const last = isLive(call) ? moments.findLast(({ kind }) => kind === 'step') : undefined;
  // Events are deleted before the record is.
  if (moments.length === 0)
    return (
      <ol class="flow-path">
        {call.path.map((step, index) => (
          <li key={index}>
            <code>{step}</code>
          </li>
        ))}
      </ol>
    );
  return (
    <ol class="flow-path">
      {moments.map((one) => (
        <li key={one.seq} aria-current={one === last ? 'step' : undefined}>
          {one.kind === 'step' ? <code>{one.step}</code> : <strong>{one.name} takes over</strong>}{' '}
          <span class="muted">
            {clock(one.atMs / 1_000)}
            {one.kind === 'step' ? `, ${one.why}` : one.reason && `: ${one.reason}`}
          </span>
          {one === last && <span class="flow-mark">Now</span>}
        </li>
      ))}
    </ol>
  );
}

const Values = ({ all }: { all: readonly ShownValue[] }): VNode => (
  <dl class="flow-values">
    {all.map(({ name, value, step, turn, atMs }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>
          {shownValue(value)}
          <span class="muted">
            turn {turn} of the user, in {step}, {clock(atMs / 1_000)}
          </span>
        </dd>
      </div>
    ))}
  </dl>
);
