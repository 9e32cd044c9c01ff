import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { ApiError, ask, type FieldErrors } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { Trunk } from '../../api/types.js';
import { Choice, Field, Form, numberOf, textOf, textsOf, useErrors } from '../../components/forms.js';
import { JsonField, jsonOf, useJsonText } from '../../components/json-field.js';
import { Loaded, useRecord } from '../../components/lists.js';
import { announce, Page } from '../../components/parts.js';
import type { Params } from '../../components/router.js';
import { useEditedPart } from '../../components/unsaved-edits.js';
import { nextKey } from '../../logic/form-or-json.js';

/** The page that creates a trunk. */
export const NewTrunkPage = (): VNode => (
  <Page title="New trunk" back={['#/trunks', 'Trunks']}>
    <TrunkForm />
  </Page>
);

/** The page that edits a trunk. */
export function TrunkPage({ params: { id = '' } }: { params: Params }): VNode {
  const trunk = useRecord<Trunk>(apiPath`trunks/${id}`);
  return (
    <Page title="Edit trunk" back={['#/trunks', 'Trunks']}>
      <Loaded of={trunk} what="the trunk">
        {(one) => <TrunkForm trunk={one} />}
      </Loaded>
    </Page>
  );
}

/** Rare settings, which the form shows as one JSON object. */
const MORE = [
  'headers',
  'inbound_headers',
  'end_headers',
  'codecs',
  'dial_formats',
  'register',
  'inbound',
  'assert_identity',
  'user_phone',
] as const;

function moreOf(trunk: Trunk | undefined): Record<string, unknown> | null {
  const given = MORE.map((name) => [name, trunk?.[name as keyof Trunk]] as const).filter(
    ([, value]) => Boolean(value) && JSON.stringify(value) !== '{}',
  );
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** A setting that was removed from the JSON field is removed in the service. */
const WITHOUT_MORE = {
  headers: null,
  inbound_headers: null,
  end_headers: null,
  codecs: null,
  dial_formats: null,
  register: null,
  inbound: null,
};

const NEW_TRUNK = { key: 'trunks/new', name: 'a new trunk' };

function TrunkForm({ trunk }: { trunk?: Trunk }): VNode {
  const more = useJsonText(moreOf(trunk));
  const send = async (values: FormData): Promise<void> => {
    const body = bodyOf(values, trunk);
    await (trunk ? ask('PATCH', apiPath`trunks/${trunk.id}`, { body }) : ask('POST', apiPath`trunks`, { body }));
    announce(`The trunk ${body.name} was saved.`);
    location.hash = '#/trunks';
  };
  return (
    <Form
      scope="trunks:write"
      record={trunk ? { key: `trunks/${trunk.id}`, name: `the trunk ${trunk.name}` } : NEW_TRUNK}
      label={trunk ? `Edit ${trunk.name}` : 'New trunk'}
      class="stack tool-form"
      submit={trunk ? 'Save' : 'Create'}
      busy="Saving…"
      send={send}
      cancel="#/trunks"
    >
      <div class="card stack">
        <Field name="name" label="Name">
          <input defaultValue={trunk?.name ?? ''} maxLength={255} autocomplete="off" />
        </Field>
        <TargetRows targets={trunk?.targets} />
        <Field name="active" label="Active">
          <input type="checkbox" defaultChecked={trunk?.active ?? true} />
        </Field>
      </div>
      <Credentials trunk={trunk} />
      <Limits trunk={trunk} />
      <details class="card">
        <summary>More settings as JSON</summary>
        <JsonField
          name="more"
          label="More settings"
          hint="headers, inbound_headers, end_headers, codecs, dial_formats, register, inbound, tls, assert_identity, user_phone"
          rows={8}
          text={more}
        />
      </details>
    </Form>
  );
}

/** The body of a request that creates or changes a trunk. Throws ApiError when the JSON field is not JSON. */
function bodyOf(values: FormData, trunk: Trunk | undefined) {
  const errors: FieldErrors = {};
  const rest = jsonOf(values, 'more', errors);
  if (Object.keys(errors).length > 0) throw new ApiError(422, 'Some fields are invalid.', errors);
  const orNull = (name: string): string | null => textOf(values, name) || null;
  const password = textOf(values, 'password');
  return {
    name: textOf(values, 'name'),
    active: values.has('active'),
    targets: targetsOf(values),
    username: orNull('username'),
    ...(password !== '' && { password }),
    from_domain: orNull('from_domain'),
    srtp: textOf(values, 'srtp'),
    transfer: textOf(values, 'transfer'),
    concurrent_calls: numberOf(values, 'concurrent_calls') ?? null,
    calls_per_second: numberOf(values, 'calls_per_second') ?? null,
    options_ping_seconds: numberOf(values, 'options_ping_seconds'),
    ...(trunk && WITHOUT_MORE),
    ...rest,
  };
}

const TRANSPORTS = [
  ['', 'Auto (DNS)'],
  ['udp', 'UDP'],
  ['tcp', 'TCP'],
  ['tls', 'TLS'],
] as const;

function targetsOf(values: FormData): object[] {
  const hosts = textsOf(values, 'target.host');
  const column = (name: string, index: number): string => textsOf(values, `target.${name}`)[index] ?? '';
  return hosts.flatMap((host, index) => {
    if (host === '' && hosts.length > 1) return [];
    const [port, transport, priority] = [column('port', index), column('transport', index), column('priority', index)];
    return [
      {
        host,
        port: port === '' ? null : Number(port),
        ...(transport !== '' && { transport }),
        ...(priority !== '' && { priority: Number(priority) }),
      },
    ];
  });
}

type Target = Trunk['targets'][number];

/** The hosts of the carrier, tried in the order of their priority. */
function TargetRows({ targets }: { targets: readonly Target[] | undefined }): VNode {
  const place = useRef<HTMLDivElement>(null);
  const rows = useSignal<readonly { key: number; target?: Target }[]>(
    targets?.map((target, key) => ({ key, target })) ?? [{ key: 0 }],
  );
  useEditedPart('targets.rows', rows);
  const error = useErrors('targets');
  const append = (): void => {
    rows.value = [...rows.value, { key: nextKey(rows.value) }];
    // Preact renders in a microtask; this one runs after it.
    queueMicrotask(() => place.current?.querySelector<HTMLElement>('li:last-child input')?.focus());
  };
  return (
    <div ref={place} class="field" data-field="targets" role="group" aria-label="Targets">
      <span class="label">Targets</span>
      <p class="hint">Hosts of the carrier. Lower priority values are tried first.</p>
      <p class="field-error">{error}</p>
      <ul class="plain stack">
        {rows.value.map(({ key, target }, index) => (
          <TargetRow
            key={key}
            index={index}
            target={target}
            onRemove={() => (rows.value = rows.value.filter((row) => row.key !== key))}
          />
        ))}
      </ul>
      <div class="chips">
        <button type="button" class="chip" onClick={append}>
          Add target
        </button>
      </div>
    </div>
  );
}

interface TargetRowParts {
  index: number;
  target: Target | undefined;
  onRemove: () => void;
}

function TargetRow({ index, target, onRemove }: TargetRowParts): VNode {
  const error = useErrors(`targets.${index}`);
  return (
    <li class="target-row" data-field={`targets.${index}`}>
      <input
        name="target.host"
        aria-label="Host"
        placeholder="sip.example.net"
        defaultValue={target?.host ?? ''}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={error === '' ? undefined : 'true'}
      />
      <input
        name="target.port"
        aria-label="Port"
        placeholder="Port"
        inputMode="numeric"
        defaultValue={target?.port === null || target === undefined ? '' : String(target.port)}
      />
      <Choice name="target.transport" aria-label="Transport" options={TRANSPORTS} selected={target?.transport ?? ''} />
      <input
        name="target.priority"
        aria-label="Priority"
        placeholder="Priority"
        inputMode="numeric"
        defaultValue={target ? String(target.priority) : ''}
      />
      <button type="button" class="quiet" aria-label="Remove target" onClick={onRemove}>
        Remove
      </button>
      <p class="field-error">{error}</p>
    </li>
  );
}

const Credentials = ({ trunk }: { trunk: Trunk | undefined }): VNode => (
  <div class="card stack">
    <h2>Credentials</h2>
    <div class="pair">
      <Field name="username" label="Username">
        <input defaultValue={trunk?.username ?? ''} autocomplete="off" spellcheck={false} />
      </Field>
      <Field name="password" label="Password">
        <input type="password" autocomplete="new-password" placeholder={trunk?.username ? 'Leave empty to keep' : ''} />
      </Field>
    </div>
    <Field name="from_domain" label="From domain">
      <input defaultValue={trunk?.from_domain ?? ''} autocomplete="off" placeholder="Address of this service" />
    </Field>
  </div>
);

const SRTP = [
  ['off', 'Off'],
  ['optional', 'Optional'],
  ['required', 'Required'],
] as const;
const TRANSFERS = [
  ['bridge', 'Bridge a second leg'],
  ['refer', 'SIP REFER by the carrier'],
] as const;

const Limits = ({ trunk }: { trunk: Trunk | undefined }): VNode => (
  <div class="card stack">
    <h2>Calls</h2>
    <div class="pair">
      <Field name="concurrent_calls" label="Concurrent calls">
        <input inputMode="numeric" defaultValue={String(trunk?.concurrent_calls ?? '')} placeholder="No limit" />
      </Field>
      <Field name="calls_per_second" label="Calls per second">
        <input inputMode="decimal" defaultValue={String(trunk?.calls_per_second ?? '')} placeholder="No limit" />
      </Field>
    </div>
    <div class="pair">
      <Field name="srtp" label="Encrypted audio (SRTP)">
        <Choice options={SRTP} selected={trunk?.srtp ?? 'off'} />
      </Field>
      <Field name="transfer" label="Transfer method">
        <Choice options={TRANSFERS} selected={trunk?.transfer ?? 'bridge'} />
      </Field>
    </div>
    <Field
      name="options_ping_seconds"
      label="Health check interval (seconds)"
      hint="SIP OPTIONS pings. 0 disables them."
    >
      <input class="short" inputMode="numeric" defaultValue={String(trunk?.options_ping_seconds ?? 60)} />
    </Field>
  </div>
);
