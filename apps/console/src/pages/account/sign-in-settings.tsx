import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { ApiError, ask, type FieldErrors, request } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { Account, NewSignInSettings, SignInAddresses, SignInSettings, SignInTest } from '../../api/types.js';
import { Choice, Field, Form, textOf } from '../../components/forms.js';
import { Loaded, useRead } from '../../components/lists.js';
import {
  announce,
  Card,
  CommandLine,
  ConfirmButton,
  Page,
  Pill,
  Time,
  useAct,
  useKeptFocus,
} from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { ROLE_OPTIONS, RoleRows, rolesOf } from './sign-in-roles.js';

const PATH = apiPath`account/sign-in`;

/** null: the account has none. Asking for them then would be an error. */
async function read(signal: AbortSignal): Promise<SignInSettings | null> {
  const { data: account } = await ask<{ data: Account }>('GET', apiPath`account`, { signal });
  return account.has_sign_in ? (await ask<{ data: SignInSettings }>('GET', PATH, { signal })).data : null;
}

/** The OpenID Connect issuer of the account, and the roles of its people. */
export function SignInSettingsPage(): VNode {
  const settings = useRead('sign-in', read);
  const place = useRef<HTMLDivElement>(null);
  /** As it is typed; undefined: as it is stored. */
  const issuer = useSignal<string | undefined>(undefined);
  const removed = (): void => {
    issuer.value = undefined;
    settings.again();
  };
  useKeptFocus(place, (parts) => parts.closest('.page')?.querySelector('h1') ?? null);
  return (
    <Page
      title="Sign-in"
      lead="Single sign-on with OpenID Connect, and the roles of people. Changes require an operator token with the scope account:write."
    >
      <Loaded of={settings} what="the sign-in settings">
        {(one) => (
          <div ref={place} class="with-aside">
            <div class="main-column">
              <SettingsForm
                key={one === null ? 'new' : 'stored'}
                settings={one}
                issuer={issuer}
                onSaved={settings.again}
              />
            </div>
            <aside class="stack" aria-label="Test and addresses">
              {one && <TestCard key={one.updated_at} settings={one} />}
              <Addresses issuer={issuer.value ?? one?.issuer ?? ''} />
              {one && <RemoveCard settings={one} onRemoved={removed} />}
            </aside>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const listOf = (values: FormData, name: string): string[] =>
  textOf(values, name)
    .split(/[\s,]+/)
    .filter(Boolean);

/** Throws ApiError when a group or a person occurs twice. */
function bodyOf(values: FormData): NewSignInSettings {
  const errors: FieldErrors = {};
  const [roles, people] = [rolesOf(values, 'roles', errors), rolesOf(values, 'people', errors)];
  if (Object.keys(errors).length > 0) throw new ApiError(422, 'Some fields are invalid.', errors);
  const orNull = (name: string): string | null => textOf(values, name) || null;
  const secret = textOf(values, 'client_secret');
  return {
    organisation: orNull('organisation'),
    issuer: orNull('issuer'),
    client_id: orNull('client_id'),
    // An absent one stays.
    ...(secret !== '' && { client_secret: secret }),
    scopes: orNull('scopes'),
    audience: orNull('audience'),
    api_clients: listOf(values, 'api_clients'),
    group_claim: orNull('group_claim'),
    roles,
    people,
    default_role: orNull('default_role') as NewSignInSettings['default_role'],
    allowed_domains: listOf(values, 'allowed_domains'),
  };
}

interface FormParts {
  settings: SignInSettings | null;
  /** Takes what is typed. */
  issuer: Signal<string | undefined>;
  onSaved: () => void;
}

const RECORD = { key: 'sign-in', name: 'the sign-in settings' };

function SettingsForm({ settings, issuer, onSaved }: FormParts): VNode {
  const save = async (values: FormData, form: HTMLFormElement): Promise<void> => {
    await ask('PUT', PATH, { body: bodyOf(values) });
    const secret = form.querySelector<HTMLInputElement>('[name=client_secret]');
    if (secret) secret.value = '';
    announce('Sign-in settings saved.');
    onSaved();
  };
  return (
    <Form
      scope="account:write"
      record={RECORD}
      label="Sign-in settings"
      class="stack"
      submit="Save"
      busy="Saving…"
      send={save}
    >
      <p class="muted" role="status">
        {settings ? (
          <>
            Last changed <Time iso={settings.updated_at} />
          </>
        ) : (
          'Single sign-on is not set up yet.'
        )}
      </p>
      <IssuerFields settings={settings} issuer={issuer} />
      <RoleFields settings={settings} />
      <AccessTokenFields settings={settings} />
    </Form>
  );
}

type FieldsParts = Pick<FormParts, 'settings'>;

const PLAIN = { autocomplete: 'off', autocapitalize: 'none', spellcheck: false } as const;

const IssuerFields = ({ settings, issuer }: FieldsParts & Pick<FormParts, 'issuer'>): VNode => (
  <div class="card stack">
    <h2>Issuer</h2>
    <Field
      name="issuer"
      label="Issuer"
      hint="Issuer URL as in its discovery document. Leave empty to use the issuer of the installation."
    >
      <input
        {...PLAIN}
        type="url"
        defaultValue={settings?.issuer ?? ''}
        placeholder="https://login.example.com/realms/acme"
        onChange={(event) => (issuer.value = event.currentTarget.value.trim())}
      />
    </Field>
    <div class="pair">
      <Field name="client_id" label="Client ID" hint="Client ID of the console at the issuer.">
        <input {...PLAIN} defaultValue={settings?.client_id ?? ''} />
      </Field>
      <Field name="client_secret" label="Client secret" hint="Encrypted at rest and never shown again.">
        <input
          {...PLAIN}
          type="password"
          autocomplete="new-password"
          placeholder={settings?.has_client_secret ? 'Leave empty to keep' : ''}
        />
      </Field>
    </div>
    <div class="pair">
      <Field
        name="organisation"
        label="Organisation"
        hint="Short name that people enter to sign in. Required if you use your own issuer."
      >
        <input {...PLAIN} defaultValue={settings?.organisation ?? ''} placeholder="acme" />
      </Field>
      <Field name="scopes" label="Scopes" hint="Requested at sign-in.">
        <input {...PLAIN} defaultValue={settings?.scopes ?? ''} placeholder="openid profile email" />
      </Field>
    </div>
  </div>
);

const RoleFields = ({ settings }: FieldsParts): VNode => (
  <div class="card stack">
    <h2>Roles</h2>
    <RoleRows
      name="roles"
      label="Groups"
      keyLabel="Group"
      placeholder="voice-team"
      hint="A person in several groups gets the highest role."
      add="Add group"
      roles={settings?.roles ?? {}}
    />
    <Field name="group_claim" label="Groups claim" hint="Can be a path such as realm_access.roles.">
      <input {...PLAIN} defaultValue={settings?.group_claim ?? ''} placeholder="groups" />
    </Field>
    <RoleRows
      name="people"
      label="People"
      keyLabel="Email address"
      placeholder="anna@example.com"
      hint="By verified email address, for issuers without groups."
      add="Add person"
      roles={settings?.people ?? {}}
    />
    <div class="pair">
      <Field name="default_role" label="Default role">
        <Choice options={[['', 'No access'], ...ROLE_OPTIONS]} selected={settings?.default_role ?? ''} />
      </Field>
      <Field
        name="allowed_domains"
        label="Allowed email domains"
        hint="Comma-separated. Leave empty to allow all domains."
      >
        <input {...PLAIN} defaultValue={settings?.allowed_domains.join(', ') ?? ''} placeholder="example.com" />
      </Field>
    </div>
  </div>
);

const AccessTokenFields = ({ settings }: FieldsParts): VNode => (
  <details class="card">
    <summary>API access with access tokens of people</summary>
    <div class="stack">
      <Field
        name="audience"
        label="Audience"
        hint="Leave empty to use the audience of the installation, if it has one."
      >
        <input {...PLAIN} defaultValue={settings?.audience ?? ''} placeholder="https://calls.example.com/api" />
      </Field>
      <Field
        name="api_clients"
        label="Additional client IDs"
        hint="Comma-separated. Their access tokens are accepted too."
      >
        <input {...PLAIN} defaultValue={settings?.api_clients.join(', ') ?? ''} />
      </Field>
    </div>
  </details>
);

const RESULTS = { passed: ['up', 'Passed'], failed: ['down', 'Failed'], unknown: ['unknown', 'Inconclusive'] } as const;
const NAMES = { address: 'Address', issuer: 'Issuer', client: 'Client' } as const;

/** Tests the saved settings, and leads to a sign-in in a new tab. */
function TestCard({ settings }: { settings: SignInSettings }): VNode {
  const { run, isBusy, said } = useAct();
  const tested = useSignal<SignInTest | undefined>(undefined);
  const test = (): void =>
    run(async () => {
      tested.value = (await ask<{ data: SignInTest }>('POST', apiPath`${PATH}/test`)).data;
      return tested.value.passed ? 'No checks failed.' : 'At least one check failed.';
    });
  const isNamed = settings.issuer === null || settings.organisation !== null;
  return (
    <Card title="Test" name="test">
      <div class="stack">
        <p class="hint">Checks the saved address, issuer, client and secret.</p>
        <div class="actions">
          <ActButton scope="account:read" data-act="test" isBusy={isBusy} onClick={test}>
            {isBusy ? 'Testing…' : 'Test now'}
          </ActButton>
          {isNamed && (
            <a class="button" href={startOf(settings)} target="_blank" rel="noopener">
              Test sign-in
            </a>
          )}
        </div>
        {!isNamed && <p class="hint">Enter an organisation name first. People need it to sign in.</p>}
        {said}
        {tested.value && <Results test={tested.value} />}
      </div>
    </Card>
  );
}

function startOf({ organisation }: SignInSettings): string {
  const query = new URLSearchParams({ place: '/sign-in', ...(organisation !== null && { organisation }) });
  return `../sign-in/start?${query.toString()}`;
}

const Results = ({ test }: { test: SignInTest }): VNode => (
  <ul class="plain stack" aria-label="Checks">
    {test.checks.map(({ name, result, message }) => {
      const [status, label] = RESULTS[result];
      return (
        <li key={name} data-check={name}>
          <div class="split">
            <strong>{NAMES[name]}</strong>
            <Pill status={status} label={label} />
          </div>
          <p class="small">{message}</p>
        </li>
      );
    })}
  </ul>
);

const ADDRESSES = [
  ['Redirect URI', 'redirect_uri'],
  ['Post-logout redirect URI', 'post_logout_redirect_uri'],
  ['Back-channel logout URI', 'back_channel_logout_uri'],
] as const;

/** What the issuer asks for when the console is registered. `issuer`: empty for the one of the installation. */
const Addresses = ({ issuer }: { issuer: string }): VNode => (
  <Card title="Register at the issuer" name="addresses">
    {issuer === '' || URL.canParse(issuer) ? (
      <AddressesOf issuer={issuer} />
    ) : (
      <p class="hint">Enter the issuer URL to see its redirect URI.</p>
    )}
  </Card>
);

function AddressesOf({ issuer }: { issuer: string }): VNode {
  const read = useRead(issuer, async (signal) => {
    const query = { issuer };
    return (await ask<{ data: SignInAddresses }>('GET', apiPath`${PATH}/addresses`, { query, signal })).data;
  });
  return (
    <Loaded of={read} what="the addresses">
      {(addresses) => (
        <div class="stack">
          <p class="hint">
            Each issuer has its own redirect URI. This one is for {issuer || 'the issuer of the installation'}.
          </p>
          {ADDRESSES.map(([label, name]) => (
            <div key={name}>
              <h3 class="small">{label}</h3>
              <CommandLine text={addresses[name]} what={`the ${label}`} />
            </div>
          ))}
        </div>
      )}
    </Loaded>
  );
}

function RemoveCard({ settings, onRemoved }: { settings: SignInSettings; onRemoved: () => void }): VNode {
  const { run, said } = useAct();
  const remove = (): void =>
    run(async () => {
      await request('DELETE', PATH);
      announce('Sign-in settings removed.');
      onRemoved();
    });
  const name = settings.organisation ?? 'this account';
  return (
    <Card title="Remove" name="remove">
      <div class="stack">
        <p class="hint">Ends all sessions and turns single sign-on off. API tokens are not affected.</p>
        <div class="actions">
          <ConfirmButton scope="account:write" verb="Remove" what={`the sign-in of ${name}`} onSure={remove}>
            <p>Everybody who signed in with {settings.issuer ?? 'the issuer of the installation'} is signed out.</p>
          </ConfirmButton>
        </div>
        {said}
      </div>
    </Card>
  );
}
