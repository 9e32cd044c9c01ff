import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ask, request } from '../../api/client.js';
import { refusalOf } from '../../api/me.js';
import { apiPath } from '../../api/path.js';
import type { IssuedToken, Scope, Token } from '../../api/types.js';
import { Choice, Field, Form, textOf, useErrors } from '../../components/forms.js';
import { Loaded, type PagedRead, Rows, Steps, usePaged } from '../../components/lists.js';
import { announce, CommandLine, ConfirmButton, Empty, Page, Pill, Time, useAct } from '../../components/parts.js';
import { ActButton } from '../../components/permissions.js';
import { plural, words } from '../../logic/format.js';
import { Sessions } from './sessions.js';

const SCOPES: readonly Scope[] = [
  'agents:read',
  'agents:write',
  'analytics:read',
  'calls:read',
  'calls:write',
  'campaigns:read',
  'campaigns:write',
  'compliance:read',
  'compliance:write',
  'knowledge:read',
  'knowledge:write',
  'tools:read',
  'tools:write',
  'numbers:read',
  'numbers:write',
  'trunks:read',
  'trunks:write',
  'webhooks:read',
  'webhooks:write',
  'tokens:read',
  'tokens:write',
  'account:read',
  'account:write',
  'audit:read',
];
/** Scopes that neither read nor change records. */
const MORE_SCOPES: readonly (readonly [scope: Scope, label: string, verb: string])[] = [
  ['calls:listen', 'Live audio', 'listen'],
];
const DAY_MS = 86_400_000;

/** A token that was just created, and why its text is shown. */
interface Fresh {
  token: IssuedToken;
  sentence: string;
}

/** The tokens of the account. A new one is shown once. */
export function TokensPage(): VNode {
  const tokens = usePaged<Token>(apiPath`tokens`);
  const fresh = useSignal<Fresh | undefined>(undefined);
  const show = (token: IssuedToken, sentence: string): void => {
    fresh.value = { token, sentence };
    announce(sentence);
    tokens.again();
  };
  return (
    <Page title="API tokens" lead="Credentials for programs and people, each with its own scopes.">
      <div class="with-aside">
        <div class="main-column stack">
          {fresh.value && <FreshToken {...fresh.value} onHide={() => (fresh.value = undefined)} />}
          <Loaded of={tokens} what="tokens">
            {({ data }) => <TokenList all={data} tokens={tokens} onRotated={show} />}
          </Loaded>
          <Steps of={tokens} label="Pages of tokens" />
          <Sessions />
        </div>
        <aside aria-label="New token">
          <NewToken onCreated={(token) => show(token, `The token ${token.name} was created.`)} />
        </aside>
      </div>
    </Page>
  );
}

function FreshToken({ token, sentence, onHide }: Fresh & { onHide: () => void }): VNode {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), [token.id]);
  return (
    <section ref={place} class="card stack fresh" tabIndex={-1} aria-label="The new token" data-role="fresh-token">
      <h2>{sentence}</h2>
      <p>Copy it now. It is stored as a hash, and you cannot see it again.</p>
      <CommandLine text={token.token} what="the token" />
      <div class="actions">
        <button type="button" onClick={onHide}>
          I have copied it
        </button>
      </div>
    </section>
  );
}

interface TokenListParts {
  all: readonly Token[];
  tokens: PagedRead<Token>;
  onRotated: (token: IssuedToken, sentence: string) => void;
}

const TokenList = ({ all, tokens, onRotated }: TokenListParts): VNode => (
  <Rows
    items={all}
    keyOf={({ id }) => id}
    row={(token) => <TokenRow token={token} onChange={tokens.again} onRotated={onRotated} />}
    empty={
      <Empty icon="key" title="No tokens yet">
        <p>Create one for each program, with the form on this page.</p>
      </Empty>
    }
    class="rows"
    label="Tokens"
  />
);

function stateOf({ revoked_at: revoked, expires_at: expires }: Token): VNode {
  if (revoked !== null && Date.parse(revoked) > Date.now()) return <Pill status="slow" label="Expiring" />;
  if (revoked !== null) return <Pill status="cancelled" label="Revoked" />;
  if (expires !== null && Date.parse(expires) < Date.now()) return <Pill status="cancelled" label="Expired" />;
  return <Pill status="up" label="Active" />;
}

interface TokenRowParts {
  token: Token;
  onChange: () => void;
  onRotated: TokenListParts['onRotated'];
}

function TokenRow({ token, onChange, onRotated }: TokenRowParts): VNode {
  const { run, said } = useAct();
  const isOver = token.revoked_at !== null || (token.expires_at !== null && Date.parse(token.expires_at) < Date.now());
  const rotate = (): void =>
    run(async () => {
      const { data } = await ask<{ data: IssuedToken }>('POST', apiPath`tokens/${token.id}/rotate`, { body: {} });
      onRotated(data, `The token ${token.name} was rotated. The old one works for another hour.`);
    });
  const revoke = (): void =>
    run(async () => {
      await request('DELETE', apiPath`tokens/${token.id}`);
      onChange();
      return `The token ${token.name} was revoked.`;
    });
  return (
    <div class="record" data-token={token.name}>
      <div class="split">
        <strong>{token.name}</strong>
        {stateOf(token)}
      </div>
      <p class="muted small">
        <code>{token.hint}</code> · created <Time iso={token.created_at} />
        {token.last_used_at === null ? ' · never used' : ' · last used '}
        {token.last_used_at !== null && <Time iso={token.last_used_at} />}
        {token.expires_at !== null && ' · expires '}
        {token.expires_at !== null && <Time iso={token.expires_at} />}
      </p>
      <details>
        <summary>{plural(token.scopes.length, 'scope')}</summary>
        <p class="small tags">
          {token.scopes.map((scope) => (
            <code key={scope}>{scope}</code>
          ))}
        </p>
      </details>
      {said}
      {!isOver && (
        <div class="actions">
          <ActButton scope="tokens:write" data-focus="rotate" aria-label={`Rotate ${token.name}`} onClick={rotate}>
            Rotate
          </ActButton>
          <ConfirmButton scope="tokens:write" verb="Revoke" what={`the token ${token.name}`} onSure={revoke}>
            <p>
              Programs that use it are refused from now on.{' '}
              {token.last_used_at === null ? (
                'It was never used.'
              ) : (
                <>
                  It was last used <Time iso={token.last_used_at} />.
                </>
              )}
            </p>
          </ConfirmButton>
        </div>
      )}
    </div>
  );
}

const LIVES = [
  ['', 'No expiry'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
] as const;

function NewToken({ onCreated }: { onCreated: (token: IssuedToken) => void }): VNode {
  const isWhole = useSignal(false);
  const send = async (values: FormData, form: HTMLFormElement): Promise<void> => {
    const days = textOf(values, 'expires_at');
    const { data } = await ask<{ data: IssuedToken }>('POST', apiPath`tokens`, {
      body: {
        name: textOf(values, 'name'),
        ...(!isWhole.value && { scopes: values.getAll('scopes') }),
        ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      },
    });
    form.reset();
    onCreated(data);
  };
  return (
    <section class="card" aria-labelledby="new-token">
      <h2 id="new-token">New token</h2>
      <Form scope="tokens:write" label="New token" submit="Create" busy="Creating…" send={send}>
        <Field name="name" label="Name" hint="What it is for, such as “CRM”.">
          <input maxLength={255} autocomplete="off" />
        </Field>
        <Field name="expires_at" label="Expiry">
          <Choice options={LIVES} />
        </Field>
        <Field name="all_scopes" label="All scopes of your token">
          <input
            type="checkbox"
            checked={isWhole.value}
            onChange={(event) => (isWhole.value = event.currentTarget.checked)}
          />
        </Field>
        {!isWhole.value && <ScopeFields />}
      </Form>
    </section>
  );
}

/** A line for each resource, with a box for reading and one for changing. */
function ScopeFields(): VNode {
  const error = useErrors('scopes');
  const resources = [...new Set(SCOPES.map((scope) => scope.split(':')[0] ?? ''))];
  return (
    <fieldset class="scopes" data-field="scopes">
      <legend>Scopes</legend>
      <p class="field-error">{error}</p>
      {resources.map((resource) => (
        <div key={resource} class="scope-line">
          <span>{words(resource)}</span>
          {(['read', 'write'] as const).map((verb) => {
            const scope = SCOPES.find((one) => one === `${resource}:${verb}`);
            return scope ? <ScopeBox key={verb} scope={scope} verb={verb} /> : <span key={verb} />;
          })}
        </div>
      ))}
      {MORE_SCOPES.map(([scope, label, verb]) => (
        <div key={scope} class="scope-line">
          <span>{label}</span>
          <ScopeBox scope={scope} verb={verb} />
        </div>
      ))}
    </fieldset>
  );
}

/** A token can grant the scopes of the session only. */
function ScopeBox({ scope, verb }: { scope: Scope; verb: string }): VNode {
  const refusal = refusalOf(scope);
  return (
    <label title={refusal}>
      <input type="checkbox" name="scopes" value={scope} aria-label={scope} disabled={refusal !== undefined} />
      {verb}
    </label>
  );
}
