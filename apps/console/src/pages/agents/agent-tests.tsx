import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ask, request } from '../../api/client.js';
import { type ApiPath, apiPath } from '../../api/path.js';
import type { ListOf, TestConversation, TestRun, WholeAgent } from '../../api/types.js';
import { Field, Form, numberOf } from '../../components/forms.js';
import { Loaded, Rows, Steps, usePaged, useRead, useRecord } from '../../components/lists.js';
import { Card, Empty, Pill, Time, useAct } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { dollars, plural } from '../../logic/format.js';

const OPEN: ReadonlySet<TestRun['status']> = new Set(['queued', 'running']);
const isOpen = ({ status }: Pick<TestRun, 'status'>): boolean => OPEN.has(status);

const LIVE_MS = 1_500;
const IDLE_MS = 30_000;

type RunSummary = Omit<TestRun, 'scenarios'>;

/** Runs of the agent's scenarios: start, progress, history and what failed. */
export function TestRuns({ agent }: { agent: WholeAgent }): VNode {
  const path = apiPath`agents/${agent.id}/test-runs`;
  const runs = usePaged<RunSummary>(path, { every: ({ data }) => (data.some(isOpen) ? LIVE_MS : IDLE_MS) });
  return (
    <Card
      title="Test runs"
      name="tests"
      aside={<span class="muted">{plural(agent.scenarios.length, 'scenario file')}</span>}
    >
      {agent.scenarios.length === 0 ? (
        <p class="hint">Add scenarios to the agent, or open a call and save it as a scenario.</p>
      ) : (
        <StartForm path={path} onStart={runs.again} />
      )}
      <Loaded of={runs} what="test runs">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(one) => <RunRow one={one} path={apiPath`${path}/${one.id}`} onChange={runs.again} />}
            empty={<Empty icon="log" title="No test runs yet" />}
            class="rows"
            label="Test runs"
          />
        )}
      </Loaded>
      <Steps of={runs} label="Pages of test runs" />
    </Card>
  );
}

const StartForm = ({ path, onStart }: { path: ApiPath; onStart: () => void }): VNode => (
  <Form
    scope="calls:write"
    label="Start a test run"
    class="inline-form test-start"
    submit="Run all scenarios"
    busy="Starting…"
    send={async (values) => {
      const body = { repeat: numberOf(values, 'repeat'), agent_version: numberOf(values, 'agent_version') };
      await ask('POST', path, { body });
      onStart();
    }}
  >
    <Field name="repeat" label="Runs per scenario" hint="Leave empty to use the setting of each scenario.">
      <input inputMode="numeric" autocomplete="off" />
    </Field>
    <Field name="agent_version" label="Version" hint="Leave empty for the published version.">
      <input inputMode="numeric" autocomplete="off" />
    </Field>
  </Form>
);

const STATES: Readonly<Record<TestRun['status'], readonly [tone: string, label: string]>> = {
  queued: ['pending', 'Queued'],
  running: ['in_progress', 'Running'],
  passed: ['up', 'Passed'],
  failed: ['failed', 'Failed'],
  error: ['failed', 'Error'],
  cancelled: ['cancelled', 'Cancelled'],
};

interface RunParts {
  one: RunSummary;
  path: ApiPath;
  onChange: () => void;
}

function RunRow({ one, path, onChange }: RunParts): VNode {
  const { run, isBusy, said } = useAct();
  const isShown = useSignal(false);
  const [tone, label] = STATES[one.status];
  const cancel = (): void =>
    run(async () => {
      await request('POST', apiPath`${path}/cancel`);
      onChange();
      return 'Test run cancelled.';
    });
  return (
    <div class="record" data-run={one.id}>
      <div class="split">
        <strong>
          {one.passed} of {one.conversations} passed
        </strong>
        <Pill status={tone} label={label} />
      </div>
      <p class="muted small">
        <Time iso={one.created_at} />
        {one.trigger === 'schedule' && ' · scheduled'}
        {one.agent_version !== null && ` · version ${one.agent_version}`}
        {` · ${one.played} played · ${dollars(one.cost)}`}
      </p>
      {one.problem !== null && <p class="field-error">{one.problem}</p>}
      <details onToggle={(event) => (isShown.value = event.currentTarget.open)}>
        <summary>Results</summary>
        {isShown.value && <Results key={`${one.status}${one.played}`} path={path} />}
      </details>
      {isOpen(one) && (
        <div class="actions">
          <ActButton scope="calls:write" data-act="cancel" isBusy={isBusy} onClick={cancel}>
            Cancel
          </ActButton>
        </div>
      )}
      {said}
    </div>
  );
}

/** The scenarios of a run, and the first conversations that failed. */
function Results({ path }: { path: ApiPath }): VNode {
  const whole = useRecord<TestRun>(path);
  const failed = useRead(`${String(path)} failed`, (signal) =>
    ask<ListOf<TestConversation>>('GET', apiPath`${path}/conversations`, {
      query: { result: 'failed', per_page: 10 },
      signal,
    }),
  );
  return (
    <div class="stack">
      <Loaded of={whole} what="the results">
        {({ scenarios }) => (
          <ul class="rows scenario-results" aria-label="Scenarios">
            {scenarios.map(({ index, name, passes, repeat, pass_rate: rate, passed }) => (
              <li key={index} class="split">
                <span>
                  {name}{' '}
                  <span class="muted small">
                    {passes} of {repeat}, {Math.round(rate * 100)} % required
                  </span>
                </span>
                <Pill
                  status={passed === null ? 'pending' : passed ? 'up' : 'failed'}
                  label={passed === null ? 'Pending' : passed ? 'Passed' : 'Failed'}
                />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Loaded of={failed} what="failed conversations">
        {({ data }) => data.map((one) => <Failed key={`${one.scenario}.${one.repetition}`} one={one} />)}
      </Loaded>
    </div>
  );
}

const Failed = ({ one }: { one: TestConversation }): VNode => (
  <details class="failed-conversation">
    <summary>
      {one.scenario_name}, conversation {one.repetition}
    </summary>
    {reasonsOf(one).map((reason) => (
      <p key={reason} class="field-error">
        {reason}
      </p>
    ))}
    <ol class="talk trial" aria-label={`Conversation ${one.repetition} of ${one.scenario_name}`}>
      {one.transcript.map((turn, index) => (
        <li key={index} class={`entry turn ${turn.role === 'agent' ? 'agent' : 'far'}`}>
          <div class="entry-head">
            <strong>{turn.role === 'agent' ? 'Agent' : 'Tester'}</strong>
          </div>
          <p class="bubble">{turn.text}</p>
        </li>
      ))}
    </ol>
  </details>
);

const reasonsOf = ({ error, steps, checks, rubric }: TestConversation): string[] => [
  ...(error === null ? [] : [error]),
  ...steps.flatMap(({ step, failures }) => failures.map((failure) => `Step ${step}: ${failure}`)),
  ...checks.flatMap(({ failures }) => failures),
  ...(rubric ?? []).filter(({ passed }) => !passed).map(({ name, reason }) => `${name}: ${reason}`),
];
