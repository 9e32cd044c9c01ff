import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ask, request } from '../../api/client.js';
import { may } from '../../api/me.js';
import { apiPath } from '../../api/path.js';
import { agentsOf } from '../../api/records.js';
import type { Agent, WebKeyFields, WebKey } from '../../api/types.js';
import { WarningsOfAgent } from '../../components/agent-warnings.js';
import { Choice, Field, Form, numberOf, textOf, textsOf, useErrors } from '../../components/forms.js';
import { Loaded, Rows, Steps, usePaged, useRead } from '../../components/lists.js';
import { announce, CommandLine, ConfirmButton, Empty, Page, Pill, Time, useAct } from '../../components/parts.js';
import { May } from '../../components/permissions.js';
import { useDeclared } from '../../components/variable-fields.js';
import { clock, dollars, plural } from '../../logic/format.js';

/** The publishable keys of the account: each lets pages of some websites call one agent, and nothing else. */
export function WebKeysPage(): VNode {
  const keys = usePaged<WebKey>(apiPath`web-keys`);
  const agents = useRead('agents', agentsOf);
  const fresh = useSignal<WebKey | undefined>(undefined);
  const created = (key: WebKey): void => {
    fresh.value = key;
    announce(`The key ${key.name} was created.`);
    keys.again();
  };
  return (
    <Page
      title="Website keys"
      lead="Visitors of your website talk to an agent with one line of HTML. A website key is public: it works only on the sites that you list, for one agent, within your limits."
    >
      <div class="with-aside">
        <div class="main-column stack">
          {fresh.value && <FreshKey key={fresh.value.id} one={fresh.value} onHide={() => (fresh.value = undefined)} />}
          <Loaded of={keys} what="website keys">
            {({ data }) => (
              <Rows
                items={data}
                keyOf={({ id }) => id}
                row={(one) => <KeyRow one={one} agents={agents.data ?? []} onChange={keys.again} />}
                empty={
                  <Empty icon="web" title="No website keys yet">
                    <May scope="agents:write">
                      <p>Create one with the form on this page, then paste its line into your website.</p>
                    </May>
                  </Empty>
                }
                class="rows"
                label="Website keys"
              />
            )}
          </Loaded>
          <Steps of={keys} label="Pages of website keys" />
        </div>
        <aside aria-label="New website key">
          <section class="card" aria-labelledby="new-web-key">
            <h2 id="new-web-key">New website key</h2>
            <Loaded of={agents} what="agents">
              {(all) => (all.length === 0 ? <NoAgents /> : <NewKey agents={all} onCreated={created} />)}
            </Loaded>
          </section>
        </aside>
      </div>
    </Page>
  );
}

const NoAgents = (): VNode => (
  <Empty icon="agent" title="No agent yet">
    <May scope="agents:write">
      <a class="button primary" href="#/agents/new">
        New agent
      </a>
    </May>
  </Empty>
);

/** The line of HTML that adds the button to a page. */
function snippetOf({ key, agent_id: agentId }: WebKey): string {
  const script = new URL('../widget.js', location.href.split('#')[0]).href;
  return `<script src="${script}" data-key="${key}" data-agent="${agentId}" async></script>`;
}

const Snippet = ({ one }: { one: WebKey }): VNode => (
  <CommandLine text={snippetOf(one)} what={`the line of HTML of ${one.name}`} />
);

function FreshKey({ one, onHide }: { one: WebKey; onHide: () => void }): VNode {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <section ref={place} class="card stack fresh" tabIndex={-1} aria-label="The new website key" data-role="fresh-key">
      <h2>{one.name} is ready</h2>
      <p>Paste this line into your pages, before the end of the body. It adds a button that calls the agent.</p>
      <Snippet one={one} />
      <div class="actions">
        <button type="button" onClick={onHide}>
          Done
        </button>
      </div>
    </section>
  );
}

interface RowParts {
  one: WebKey;
  agents: readonly Agent[];
  onChange: () => void;
}

function KeyRow({ one, agents, onChange }: RowParts): VNode {
  const { run, said } = useAct();
  const isRevoked = one.revoked_at !== null;
  const agent = agents.find(({ id }) => id === one.agent_id);
  const revoke = (): void =>
    run(async () => {
      await request('DELETE', apiPath`web-keys/${one.id}`);
      onChange();
      return `The key ${one.name} was revoked.`;
    });
  return (
    <div class="record" data-web-key={one.name}>
      <div class="split">
        <strong>{one.name}</strong>
        {isRevoked ? <Pill status="cancelled" label="Revoked" /> : <Pill status="up" label="Active" />}
      </div>
      <p class="muted small">
        <code>{one.key}</code>
        {' · calls '}
        <a href={`#/agents/${one.agent_id}`}>{agent?.name ?? `agent ${one.agent_id}`}</a>
        {one.last_used_at === null ? ' · never used' : ' · last used '}
        {one.last_used_at !== null && <Time iso={one.last_used_at} />}
      </p>
      <p class="small">{one.origins.join(', ')}</p>
      <p class="muted small">{limitsOf(one)}</p>
      {said}
      {!isRevoked && (
        <>
          <details>
            <summary>Line for your website</summary>
            <Snippet one={one} />
          </details>
          <EditKey one={one} onSaved={onChange} />
          <div class="actions">
            <ConfirmButton scope="agents:write" verb="Revoke" what={`the website key ${one.name}`} onSure={revoke}>
              <p>
                Its button stops working on {one.origins.join(', ')} at once. Calls that are live go on.
                {one.last_used_at === null && ' It was never used.'}
              </p>
            </ConfirmButton>
          </div>
        </>
      )}
    </div>
  );
}

const limitsOf = (one: WebKey): string =>
  [
    `${plural(one.calls_per_minute, 'call')} a minute per visitor`,
    `${one.concurrent_calls} at once`,
    `up to ${clock(one.max_seconds)} each`,
    one.daily_spend_usd === null ? 'no daily limit of its own' : `${dollars(one.daily_spend_usd)} a day`,
    ...(one.variables_allowed.length > 0 ? [`variables: ${one.variables_allowed.join(', ')}`] : []),
  ].join(' · ');

function EditKey({ one, onSaved }: { one: WebKey; onSaved: () => void }): VNode {
  const isOpen = useSignal(false);
  const send = async (values: FormData): Promise<void> => {
    await request('PATCH', apiPath`web-keys/${one.id}`, { body: bodyOf(values) });
    isOpen.value = false;
    announce(`The key ${one.name} was saved.`);
    onSaved();
  };
  return (
    <details open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{may('agents:write') ? 'Edit' : 'View'}</summary>
      {isOpen.value && (
        <Form scope="agents:write" label={`Edit ${one.name}`} submit="Save" busy="Saving…" send={send}>
          <KeyFields one={one} agentId={one.agent_id} />
        </Form>
      )}
    </details>
  );
}

function NewKey({ agents, onCreated }: { agents: readonly Agent[]; onCreated: (key: WebKey) => void }): VNode {
  const agentId = useSignal(agents[0]?.id);
  const send = async (values: FormData, form: HTMLFormElement): Promise<void> => {
    const body = { agent_id: agentId.value, ...bodyOf(values) };
    const { data } = await ask<{ data: WebKey }>('POST', apiPath`web-keys`, { body });
    form.reset();
    onCreated(data);
  };
  return (
    <Form scope="agents:write" label="New website key" submit="Create" busy="Creating…" send={send}>
      <Field name="agent_id" label="Agent">
        <Choice
          options={agents.map(({ id, name }) => [id, name])}
          selected={agentId.value}
          onChange={(id) => (agentId.value = Number(id))}
        />
      </Field>
      <WarningsOfAgent agentId={agentId.value ?? null} />
      <KeyFields agentId={agentId.value} />
    </Form>
  );
}

function KeyFields({ one, agentId }: { one?: WebKey; agentId: number | undefined }): VNode {
  return (
    <>
      <Field name="name" label="Name" hint="For you, such as “Shop”.">
        <input defaultValue={one?.name ?? ''} maxLength={255} autocomplete="off" />
      </Field>
      <Field
        name="origins"
        label="Websites"
        hint="One address per line, without a path: https://www.example.com. Other sites are refused."
      >
        <textarea
          rows={3}
          defaultValue={one?.origins.join('\n') ?? ''}
          placeholder="https://www.example.com"
          spellcheck={false}
        />
      </Field>
      <div class="pair">
        <Field name="concurrent_calls" label="Calls at once" hint="Of all visitors.">
          <input inputMode="numeric" defaultValue={String(one?.concurrent_calls ?? 10)} />
        </Field>
        <Field name="calls_per_minute" label="Calls a minute" hint="Per visitor.">
          <input inputMode="numeric" defaultValue={String(one?.calls_per_minute ?? 6)} />
        </Field>
        <Field name="max_seconds" label="Longest call" hint="In seconds.">
          <input inputMode="numeric" defaultValue={String(one?.max_seconds ?? 600)} />
        </Field>
        <Field name="daily_spend_usd" label="Cost a day" hint="In US$. Empty: the limit of the account.">
          <input
            inputMode="decimal"
            defaultValue={one?.daily_spend_usd === undefined ? '' : String(one.daily_spend_usd ?? '')}
          />
        </Field>
      </div>
      <AllowedVariables allowed={one?.variables_allowed ?? []} agentId={agentId} />
    </>
  );
}

/** Variables that the page may set, for instance the name of a signed-in visitor. */
function AllowedVariables({ allowed, agentId }: { allowed: readonly string[]; agentId: number | undefined }): VNode {
  const declared = useDeclared(agentId);
  const error = useErrors('variables_allowed');
  const names = [...new Set([...declared.map(({ name }) => name), ...allowed])];
  return (
    <fieldset class="scopes" data-field="variables_allowed" hidden={names.length === 0}>
      <legend>Variables that the page may set</legend>
      <p class="hint">Any visitor can change what the page sends. Do not trust these values.</p>
      <p class="field-error">{error}</p>
      {names.map((name) => (
        <label key={name} class="check">
          <input type="checkbox" name="variables_allowed" value={name} defaultChecked={allowed.includes(name)} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

const bodyOf = (values: FormData): WebKeyFields => ({
  name: textOf(values, 'name'),
  origins: textOf(values, 'origins').split(/\s+/).filter(Boolean),
  calls_per_minute: numberOf(values, 'calls_per_minute'),
  concurrent_calls: numberOf(values, 'concurrent_calls'),
  max_seconds: numberOf(values, 'max_seconds'),
  daily_spend_usd: numberOf(values, 'daily_spend_usd') ?? null,
  variables_allowed: textsOf(values, 'variables_allowed'),
});
