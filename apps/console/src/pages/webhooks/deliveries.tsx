import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { ask } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { Delivery, FoundDelivery } from '../../api/types.js';
import { Icon } from '../../components/icons.js';
import { Loaded, Rows, useRecord } from '../../components/lists.js';
import { announce, Empty, Pill, Pre, Time, useAct } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { plural, span, words } from '../../logic/format.js';

interface DeliveriesParts {
  all: readonly Delivery[];
  empty: ComponentChildren;
  /** Called when the list must be read again. */
  onReplayed: () => void;
}

/** Webhooks with their state, their attempts, and a button that sends them again. */
export const Deliveries = ({ all, empty, onReplayed }: DeliveriesParts): VNode => (
  <Rows
    items={all}
    keyOf={({ id }) => id}
    row={(one) => <DeliveryRow one={one} onReplayed={onReplayed} />}
    empty={empty}
    class="deliveries"
    label="Deliveries"
  />
);

function DeliveryRow({ one, onReplayed }: { one: Delivery; onReplayed: () => void }): VNode {
  const { run, isBusy, said } = useAct();
  const isOpen = useSignal(false);
  const replay = (): void =>
    run(async () => {
      await ask('POST', apiPath`webhook-deliveries/${one.id}/replay`);
      announce(`${nameOf(one)} will be sent again.`);
      onReplayed();
    });
  return (
    <div class="delivery" data-delivery={one.id}>
      <strong>{nameOf(one)}</strong>
      <code class="small target">{`${one.method} ${one.url}`}</code>
      <DeliveryFacts one={one} />
      <Pill status={one.state} />
      <ActButton
        scope="webhooks:write"
        data-focus="replay"
        data-replay={one.id}
        aria-label={`Replay ${nameOf(one)}`}
        isBusy={isBusy}
        onClick={replay}
      >
        <Icon name="replay" />
        Replay
      </ActButton>
      {said}
      <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>{plural(one.attempt_count, 'attempt', 'attempts')}</summary>
        {isOpen.value && <Attempts key={one.attempt_count} id={one.id} />}
      </details>
    </div>
  );
}

function nameOf({ type, event }: Pick<Delivery, 'type' | 'event'>): string {
  return type === 'call-status' ? `Status: ${words(event).toLowerCase()}` : words(type);
}

function DeliveryFacts({ one }: { one: Delivery }): VNode {
  const outcome = one.last_error ?? (one.last_status === null ? 'not sent yet' : `status ${one.last_status}`);
  const isNext = one.delivered_at === null && one.next_attempt_at !== null;
  return (
    <span class="muted small">
      {`${outcome} · ${isNext ? 'next attempt ' : ''}`}
      <Time iso={one.delivered_at ?? one.next_attempt_at ?? one.created_at} />
      {one.replayed_at === null ? '' : ' · replayed'}
    </span>
  );
}

function Attempts({ id }: { id: string }): VNode {
  const found = useRecord<FoundDelivery>(apiPath`webhook-deliveries/${id}`);
  return (
    <Loaded of={found} what="the attempts">
      {({ attempts, body }) => (
        <div class="attempts">
          <ol>
            {attempts.map(({ at, status, latency_ms: latency, error, answer }, index) => (
              <li key={index}>
                <Time iso={at} />
                {` ${status ?? 'no response'} in ${span(latency)}`}
                {error !== null && <span class="bad-text"> {error}</span>}
                {answer && <code class="small">{answer}</code>}
              </li>
            ))}
          </ol>
          <details>
            <summary>Request body</summary>
            <Pre label="Body" text={pretty(body)} />
          </details>
        </div>
      )}
    </Loaded>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // A body that is not JSON is shown as sent.
    return body;
  }
}

export const NoDeliveries = (): VNode => (
  <Empty icon="out" title="No webhooks">
    <p>
      Neither the agent nor the call has a webhook. Calls send them to the addresses in the settings of{' '}
      <a href="#/agents">their agent</a>.
    </p>
  </Empty>
);
