import type { VNode } from 'preact';
import { ask } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import { agentsOf, campaignsOf, isOpenCampaign } from '../../api/records.js';
import type { Agent, PhoneNumber } from '../../api/types.js';
import { Choice, Field, Form, numberOf, textOf } from '../../components/forms.js';
import { Loaded, RecordActions, Rows, Steps, usePaged, useRead } from '../../components/lists.js';
import { NumberInput } from '../../components/number-input.js';
import { announce, Empty, Activity, Page } from '../../components/parts.js';
import { May } from '../../components/permissions.js';
import type { Params } from '../../components/router.js';
import { frontOf } from '../../logic/number-front.js';
import { NumberFront } from './number-front.js';

/** The phone numbers of the account. */
export function NumbersPage(): VNode {
  const numbers = usePaged<PhoneNumber>(apiPath`numbers`);
  const agents = useRead('agents', agentsOf).data ?? [];
  return (
    <Page title="Numbers" lead="Caller IDs for outbound calls, and the agents that answer inbound calls.">
      <div class="with-aside">
        <div class="main-column">
          <Loaded of={numbers} what="numbers">
            {({ data }) => (
              <Rows
                items={data}
                keyOf={({ id }) => id}
                row={(one) => <NumberRow one={one} agents={agents} onChange={numbers.again} />}
                empty={
                  <Empty icon="number" title="No numbers yet">
                    <p>Add a number from your carrier with the form on this page, to place and answer calls.</p>
                    <May scope="trunks:write">
                      <a href="#/trunks">Then connect the carrier</a>
                    </May>
                  </Empty>
                }
                class="rows"
                label="Numbers"
              />
            )}
          </Loaded>
          <Steps of={numbers} label="Pages of numbers" />
        </div>
        <aside aria-label="Add a number">
          <section class="card" aria-labelledby="new-number">
            <h2 id="new-number">Add a number</h2>
            <NumberForm agents={agents} onSaved={numbers.again} />
          </section>
        </aside>
      </div>
    </Page>
  );
}

interface NumberRowParts {
  one: PhoneNumber;
  agents: readonly Agent[];
  onChange: () => void;
}

function NumberRow({ one, agents, onChange }: NumberRowParts): VNode {
  const agent = agents.find(({ id }) => id === one.agent_id)?.name ?? 'an agent';
  return (
    <div class="record" data-number={one.e164}>
      <div class="split">
        <strong class="number-text">{one.e164}</strong>
        <Activity active={one.active} />
      </div>
      <p class="muted small">
        {one.name !== one.e164 && `${one.name} · `}
        {one.agent_id === null ? 'outbound only' : `answered by ${agent}`}
        {one.hours && ' · business hours'}
        {one.queue?.enabled && ' · queue'}
      </p>
      <RecordActions
        scope="numbers:write"
        path={apiPath`numbers/${one.id}`}
        edit={`#/numbers/${one.id}`}
        title={one.e164}
        kind="the number"
        deletion={{ says: <NumberUses number={one} agent={one.agent_id === null ? undefined : agent} /> }}
        active={['active', one.active]}
        onChange={onChange}
      />
    </div>
  );
}

/** What no longer works without the number. */
function NumberUses({ number, agent }: { number: PhoneNumber; agent: string | undefined }): VNode {
  const campaigns = useRead('campaigns', campaignsOf).data ?? [];
  const using = campaigns.filter((one) => isOpenCampaign(one) && one.number_ids.includes(number.id));
  return (
    <>
      {agent !== undefined && <p>Calls to it are not answered any more: {agent} answers them now.</p>}
      {using.length > 0 && <p>Campaigns that call from it: {using.map(({ name }) => name).join(', ')}.</p>}
      <p class="hint">Past calls keep the number.</p>
    </>
  );
}

interface NumberFormParts {
  number?: PhoneNumber;
  agents: readonly Agent[];
  onSaved: () => void;
}

/** The form for a new number, or for `number`. */
function NumberForm({ number, agents, onSaved }: NumberFormParts): VNode {
  const send = async (values: FormData, form: HTMLFormElement): Promise<void> => {
    const name = textOf(values, 'name');
    const body = {
      e164: textOf(values, 'e164'),
      ...((name !== '' || number) && { name }),
      agent_id: numberOf(values, 'agent_id') ?? null,
      ...(number && frontOf(values)),
    };
    await (number ? ask('PATCH', apiPath`numbers/${number.id}`, { body }) : ask('POST', apiPath`numbers`, { body }));
    announce(`The number ${body.e164} was saved.`);
    form.reset();
    onSaved();
  };
  return (
    <Form
      scope="numbers:write"
      label={number ? 'Edit number' : 'Add a number'}
      class={number ? 'card stack' : 'stack'}
      submit={number ? 'Save' : 'Add'}
      busy="Saving…"
      send={send}
      {...(number && {
        cancel: '#/numbers',
        record: { key: `numbers/${number.id}`, name: `the number ${number.e164}` },
      })}
    >
      <Field name="e164" label="Number">
        <NumberInput defaultValue={number?.e164 ?? ''} placeholder="+15550001111" />
      </Field>
      <Field name="name" label="Name">
        <input defaultValue={number?.name ?? ''} maxLength={255} autocomplete="off" placeholder="Main line" />
      </Field>
      <Field name="agent_id" label="Answered by">
        <Choice
          options={[['', 'None (outbound only)'], ...agents.map(({ id, name }) => [id, name] as const)]}
          selected={number?.agent_id ?? ''}
        />
      </Field>
      {number && <NumberFront number={number} agents={agents} />}
    </Form>
  );
}

/** The page that edits a number. */
export function NumberPage({ params: { id = '' } }: { params: Params }): VNode {
  const both = useRead(`number ${id}`, async (signal) => {
    const [{ data }, agents] = await Promise.all([
      ask<{ data: PhoneNumber }>('GET', apiPath`numbers/${id}`, { signal }),
      agentsOf(signal),
    ]);
    return { number: data, agents };
  });
  return (
    <Page title="Edit number" back={['#/numbers', 'Numbers']}>
      <Loaded of={both} what="the number">
        {(loaded) => <NumberForm {...loaded} onSaved={() => (location.hash = '#/numbers')} />}
      </Loaded>
    </Page>
  );
}
