import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ask, request } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import { agentsOf } from '../../api/records.js';
import type { Delivery, Endpoint, ReplayedRange } from '../../api/types.js';
import { Choice, Field, Form, numberOf, textOf } from '../../components/forms.js';
import { Icon } from '../../components/icons.js';
import { Loaded, Rows, Steps, usePaged, useRead } from '../../components/lists.js';
import { announce, Card, Empty, type Fact, Facts, Page, Pill, Time, useAct } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { pageOfAddress, place, QueryChoice } from '../../components/router.js';
import { plural, words } from '../../logic/format.js';
import { Deliveries } from './deliveries.js';
import { SigningSecrets } from './signing-secrets.js';

const DELIVERIES_MS = 4_000;
const STATES = ['pending', 'slow', 'delivered', 'dead', 'refused'];
const TYPES = ['call-status', 'post-call', 'pre-call', 'tool-action', 'campaign', 'test'];

/** Webhook endpoints with their health, and all deliveries of the account. */
export const WebhooksPage = (): VNode => (
  <Page title="Webhooks" lead="Events that Trunkline sends to your systems, with every delivery attempt.">
    <div class="with-aside">
      <div class="main-column stack">
        <Endpoints />
        <AllDeliveries />
      </div>
      <aside class="stack" aria-label="Send webhooks">
        <TestForm />
        <ReplayForm />
        <SigningSecrets />
      </aside>
    </div>
  </Page>
);

function Endpoints(): VNode {
  const endpoints = usePaged<Endpoint>(apiPath`webhook-endpoints`, { every: () => DELIVERIES_MS });
  return (
    <Card
      title="Endpoints"
      name="endpoints"
      aside={<span class="muted">{endpoints.data && plural(endpoints.data.meta.total, 'endpoint')}</span>}
    >
      <Loaded of={endpoints} what="endpoints">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(one) => <EndpointRow one={one} onChange={endpoints.again} />}
            empty={
              <Empty icon="webhook" title="No endpoints yet">
                <p>
                  Give <a href="#/agents">an agent</a> a webhook address, or send a test with the form on this page.
                  Each address appears here with its health.
                </p>
              </Empty>
            }
            class="rows"
            label="Endpoints"
          />
        )}
      </Loaded>
      <Steps of={endpoints} label="Pages of endpoints" />
    </Card>
  );
}

const REASONS = {
  gone: 'It answered 410 Gone. Nothing is sent until you enable it.',
  failing: 'Every attempt failed for five days. Nothing is sent until you enable it.',
} as const;

function EndpointRow({ one, onChange }: { one: Endpoint; onChange: () => void }): VNode {
  const { run, isBusy, said } = useAct();
  const enable = (): void =>
    run(async () => {
      await request('POST', apiPath`webhook-endpoints/${one.id}/enable`);
      onChange();
      return 'The endpoint is enabled. Its dead deliveries can be replayed.';
    });
  const isDisabled = one.state === 'disabled';
  const isFailing = one.first_failure_at !== null;
  const facts: (Fact | undefined)[] = [
    ['Last status', one.last_status === null ? 'No answer' : String(one.last_status)],
    one.last_success_at === null ? undefined : ['Last success', <Time iso={one.last_success_at} />],
    one.first_failure_at === null ? undefined : ['Failing since', <Time iso={one.first_failure_at} />],
  ];
  return (
    <div class="record" data-endpoint={one.id}>
      <div class="split">
        <code>{one.url}</code>
        {isDisabled ? (
          <Pill status="down" label="Disabled" />
        ) : (
          <Pill status={isFailing ? 'slow' : 'up'} label={isFailing ? 'Failing' : 'Active'} />
        )}
      </div>
      <Facts kind="small" all={facts.filter((fact) => fact !== undefined)} />
      {one.disabled_reason !== null && <p class="field-error">{REASONS[one.disabled_reason]}</p>}
      {said}
      {isDisabled && (
        <div class="actions">
          <ActButton scope="webhooks:write" isBusy={isBusy} aria-label={`Enable ${one.url}`} onClick={enable}>
            Enable
          </ActButton>
        </div>
      )}
    </div>
  );
}

const namesOf = (any: string, all: readonly string[]): [string, string][] => [
  ['', any],
  ...all.map((one): [string, string] => [one, words(one)]),
];

function AllDeliveries(): VNode {
  const { query } = place.value;
  const [state, type] = [query.get('state') ?? '', query.get('type') ?? ''];
  const deliveries = usePaged<Delivery>(apiPath`webhook-deliveries`, {
    query: { state, type },
    every: () => DELIVERIES_MS,
    at: pageOfAddress(),
  });
  const isFiltered = state !== '' || type !== '';
  return (
    <Card
      title="Deliveries"
      name="all-deliveries"
      aside={
        <div class="filters small-filters" role="search">
          <QueryChoice name="state" label="State" options={namesOf('Any state', STATES)} />
          <QueryChoice name="type" label="Type" options={namesOf('Any type', TYPES)} />
        </div>
      }
    >
      <Loaded of={deliveries} what="deliveries">
        {({ data }) => (
          <Deliveries
            all={data}
            onReplayed={deliveries.again}
            empty={
              <Empty icon="out" title={isFiltered ? 'No matching deliveries' : 'No deliveries yet'}>
                <p>
                  {isFiltered
                    ? 'No deliveries match these filters.'
                    : 'Set a webhook URL on an agent or a call, or send a test from this page.'}
                </p>
              </Empty>
            }
          />
        )}
      </Loaded>
      <Steps of={deliveries} label="Pages of deliveries" />
    </Card>
  );
}

/** Sends a test webhook to an address, or to that of an agent. */
function TestForm(): VNode {
  const agents = useRead('agents', agentsOf).data ?? [];
  const agent = useSignal('');
  const { run, said } = useAct();
  const send = async (values: FormData): Promise<void> => {
    const target =
      agent.value === ''
        ? { url: textOf(values, 'url') }
        : { agent_id: numberOf(values, 'agent_id'), webhook: textOf(values, 'webhook') };
    await ask('POST', apiPath`webhooks/test`, { body: target });
    run(() => Promise.resolve('Test sent. It appears under Deliveries.'));
  };
  return (
    <section class="card" aria-labelledby="test-webhook">
      <h2 id="test-webhook">Send a test</h2>
      <Form scope="webhooks:write" label="Send a test" submit="Send" busy="Sending…" send={send}>
        <Field name="agent_id" label="To">
          <Choice
            options={[['', 'A URL'], ...agents.map(({ id, name }) => [id, `Webhook of ${name}`] as const)]}
            selected={agent.value}
            onChange={(value) => (agent.value = value)}
          />
        </Field>
        {agent.value === '' ? (
          <Field name="url" label="URL">
            <input type="url" placeholder="https://example.com/hooks" autocomplete="off" />
          </Field>
        ) : (
          <Field name="webhook" label="Webhook">
            <Choice
              options={[
                ['call_status', 'Call status'],
                ['post_call', 'Post-call'],
                ['pre_call', 'Pre-call'],
              ]}
            />
          </Field>
        )}
      </Form>
      {said}
    </section>
  );
}

/** Sends the deliveries of a period again: after an outage of the receiver. */
function ReplayForm(): VNode {
  const outcome = useSignal<ReplayedRange | undefined>(undefined);
  const send = async (values: FormData): Promise<void> => {
    outcome.value = undefined;
    const time = (name: string): string | undefined => {
      const text = textOf(values, name);
      return text === '' ? undefined : new Date(text).toISOString();
    };
    const { data } = await ask<{ data: ReplayedRange }>('POST', apiPath`webhook-deliveries/replay`, {
      body: { date_from: time('date_from'), date_to: time('date_to'), state: textOf(values, 'state') },
    });
    outcome.value = data;
    announce(`${plural(data.replayed, 'webhook')} will be sent again.`);
  };
  return (
    <section class="card" aria-labelledby="replay-range">
      <h2 id="replay-range">Replay a time range</h2>
      <Form scope="webhooks:write" label="Replay a time range" submit="Replay" busy="Replaying…" send={send}>
        <Field name="date_from" label="From">
          <input type="datetime-local" step={1} />
        </Field>
        <Field name="date_to" label="To">
          <input type="datetime-local" step={1} />
        </Field>
        <Field name="state" label="State">
          <Choice options={['dead', 'slow', 'refused', 'delivered'].map((one) => [one, words(one)])} />
        </Field>
      </Form>
      {outcome.value && (
        <p class="hint">
          <Icon name="check" />
          {`${plural(outcome.value.replayed, 'webhook')} will be sent again.`}
          {outcome.value.skipped > 0 && ` ${outcome.value.skipped} skipped: their endpoint is disabled.`}
          {outcome.value.next_cursor !== null && ' There are more: replay again.'}
        </p>
      )}
    </section>
  );
}
