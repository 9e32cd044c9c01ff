import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ask, request } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { NewSecret, SigningSecret } from '../../api/types.js';
import { Field, Form, numberOf } from '../../components/forms.js';
import { Loaded, type Read, Rows, useRead } from '../../components/lists.js';
import { announce, Card, CommandLine, ConfirmButton, Pill, Time, useAct } from '../../components/parts.js';

/** The secrets that sign webhooks: the current one and, during a rotation, the previous one. */
export function SigningSecrets(): VNode {
  const secrets = useRead('webhook-secrets', (signal) =>
    ask<{ data: SigningSecret[] }>('GET', apiPath`webhook-secrets`, { signal }),
  );
  const fresh = useSignal<NewSecret | undefined>(undefined);
  const rotate = async (values: FormData): Promise<void> => {
    const body = { overlap_hours: numberOf(values, 'overlap_hours') };
    const { data } = await ask<{ data: NewSecret }>('POST', apiPath`webhook-secrets/rotate`, { body });
    fresh.value = data;
    announce('The signing secret was rotated.');
    secrets.again();
  };
  return (
    <Card title="Signing secrets" name="secrets">
      {fresh.value && <FreshSecret secret={fresh.value} onHide={() => (fresh.value = undefined)} />}
      <Loaded of={secrets} what="signing secrets">
        {({ data }) => <SecretList all={data} secrets={secrets} />}
      </Loaded>
      <details>
        <summary>Rotate the secret</summary>
        <Form scope="webhooks:write" label="Rotate the secret" submit="Rotate" busy="Rotating…" send={rotate}>
          <Field
            name="overlap_hours"
            label="Overlap (hours)"
            hint="During the overlap, webhooks carry a second signature with the previous secret. Configure both in your receivers."
          >
            <input inputMode="numeric" defaultValue="24" autocomplete="off" />
          </Field>
        </Form>
      </details>
    </Card>
  );
}

function FreshSecret({ secret, onHide }: { secret: NewSecret; onHide: () => void }): VNode {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), [secret.id]);
  return (
    <section ref={place} class="stack fresh" tabIndex={-1} aria-label="The new secret" data-role="fresh-secret">
      <p>Copy the new secret now. You cannot see it again.</p>
      <CommandLine text={secret.secret} what="the secret" />
      <div class="actions">
        <button type="button" onClick={onHide}>
          I have copied it
        </button>
      </div>
    </section>
  );
}

const SecretList = ({ all, secrets }: { all: readonly SigningSecret[]; secrets: Read<unknown> }): VNode => (
  <Rows
    items={all}
    keyOf={({ id }) => id}
    row={(one) => <SecretRow secret={one} onChange={secrets.again} />}
    empty={<p class="muted">No signing secret yet.</p>}
    class="rows"
    label="Signing secrets"
  />
);

function SecretRow({ secret, onChange }: { secret: SigningSecret; onChange: () => void }): VNode {
  const { run, said } = useAct();
  const expire = (): void =>
    run(async () => {
      await request('POST', apiPath`webhook-secrets/${secret.id}/expire`);
      onChange();
    });
  const isCurrent = secret.expires_at === null;
  return (
    <div class="record" data-secret={secret.id}>
      <div class="split">
        <code>{secret.hint}</code>
        <Pill status={isCurrent ? 'up' : 'slow'} label={isCurrent ? 'Current' : 'Expiring'} />
      </div>
      <p class="muted small">
        Created <Time iso={secret.created_at} />
        {secret.expires_at !== null && ' · signs until '}
        {secret.expires_at !== null && <Time iso={secret.expires_at} />}
      </p>
      {said}
      {!isCurrent && (
        <div class="actions">
          <ConfirmButton scope="webhooks:write" verb="Expire" what={`the secret ${secret.hint}`} onSure={expire}>
            <p>Receivers that know only this secret refuse the next webhooks.</p>
          </ConfirmButton>
        </div>
      )}
    </div>
  );
}
