import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ask } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import { campaignsOf, isOpenCampaign } from '../../api/records.js';
import type { TestedTarget, Trunk, TrunkTest } from '../../api/types.js';
import { Icon } from '../../components/icons.js';
import { Loaded, RecordActions, Rows, Steps, usePaged, useRead } from '../../components/lists.js';
import { announce, Empty, type Fact, Facts, Activity, Page, Pill, Time, useAct } from '../../components/parts.js';
import { ActButton, May } from '../../components/permissions.js';
import { plural } from '../../logic/format.js';

const HEALTH_MS = 5_000;

/** The SIP trunks of the account with the health of each target. */
export function TrunksPage(): VNode {
  const trunks = usePaged<Trunk>(apiPath`trunks`, { every: () => HEALTH_MS });
  return (
    <Page
      title="Trunks"
      lead="SIP connections to carriers, with the health of every target."
      aside={
        <May scope="trunks:write">
          <a class="button primary" href="#/trunks/new">
            New trunk
          </a>
        </May>
      }
    >
      <Loaded of={trunks} what="trunks">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(trunk) => <TrunkCard trunk={trunk} onChange={trunks.again} />}
            empty={
              <div class="card">
                <Empty icon="trunk" title="No trunks yet">
                  <May scope="trunks:write">
                    <p>
                      <a href="#/trunks/new">Add your carrier or PBX</a>: its host and, if it asks for them,
                      credentials.
                    </p>
                  </May>
                </Empty>
              </div>
            }
            class="plain stack"
            label="Trunks"
          />
        )}
      </Loaded>
      <Steps of={trunks} label="Pages of trunks" />
    </Page>
  );
}

const LABELS = { up: 'Up', down: 'Down', unknown: 'Not checked' } as const;

function TrunkCard({ trunk, onChange }: { trunk: Trunk; onChange: () => void }): VNode {
  const { run, isBusy, said } = useAct();
  const tested = useSignal<TrunkTest | undefined>(undefined);
  const test = (): void =>
    run(async () => {
      const { data } = await ask<{ data: TrunkTest }>('POST', apiPath`trunks/${trunk.id}/test`);
      tested.value = data;
      announce(`The trunk ${trunk.name} is ${data.state}.`);
      onChange();
    });
  return (
    <article class="card stack" data-trunk={trunk.name}>
      <header class="split">
        <h2>{trunk.name}</h2>
        <span class="pills">
          {!trunk.active && <Activity active={false} />}
          <Pill status={trunk.state} label={LABELS[trunk.state]} />
        </span>
      </header>
      {trunk.reason !== null && <p class="field-error">{trunk.reason}</p>}
      {trunk.registration?.reason && <p class="field-error">{trunk.registration.reason}</p>}
      <Facts all={factsOf(trunk)} />
      <Targets all={trunk.targets} />
      <div class="actions">
        <ActButton scope="trunks:write" data-act="test" isBusy={isBusy} onClick={test}>
          <Icon name="replay" />
          {isBusy ? 'Testing…' : 'Test now'}
          <span class="unseen">: {trunk.name}</span>
        </ActButton>
      </div>
      {said}
      {tested.value && (
        <div data-role="tested">
          <h3>{tested.value.state === 'up' ? 'Trunk reachable' : 'Trunk not reachable'}</h3>
          <Targets all={tested.value.targets} />
        </div>
      )}
      <RecordActions
        scope="trunks:write"
        path={apiPath`trunks/${trunk.id}`}
        edit={`#/trunks/${trunk.id}`}
        title={trunk.name}
        kind="the trunk"
        deletion={{ says: <TrunkUses trunk={trunk} /> }}
        active={['active', trunk.active]}
        onChange={onChange}
      />
    </article>
  );
}

/** What no longer works without the trunk. */
function TrunkUses({ trunk }: { trunk: Trunk }): VNode {
  const campaigns = useRead('campaigns', campaignsOf).data ?? [];
  const using = campaigns.filter((one) => isOpenCampaign(one) && one.trunk_id === trunk.id);
  return (
    <>
      <p>No more calls go through {trunk.targets.map(({ host }) => host).join(', ')}.</p>
      {using.length > 0 && <p>Campaigns that use it: {using.map(({ name }) => name).join(', ')}.</p>}
    </>
  );
}

const REGISTRATIONS = {
  registering: 'Registering',
  registered: 'Registered',
  failed: 'Failed',
  unregistered: 'Not registered',
} as const;

function factsOf(trunk: Trunk): Fact[] {
  const live = String(trunk.live_calls);
  const all: Fact[] = [
    ['Live calls', trunk.concurrent_calls === null ? live : `${live} of ${trunk.concurrent_calls}`],
    ['Encryption', { off: 'Off', optional: 'SRTP optional', required: 'SRTP required' }[trunk.srtp]],
    ['Transfer', trunk.transfer === 'bridge' ? 'Second leg' : 'SIP REFER'],
  ];
  if (trunk.registration) all.push(['Registration', REGISTRATIONS[trunk.registration.state]]);
  if (trunk.calls_per_second !== null) all.push(['Calls per second', String(trunk.calls_per_second)]);
  if (trunk.username !== null) all.push(['Username', trunk.username]);
  if (trunk.codecs !== null) all.push(['Codecs', trunk.codecs.join(', ')]);
  if (trunk.checked_at !== null) all.push(['Checked', <Time iso={trunk.checked_at} />]);
  return all;
}

type Target = TestedTarget | Trunk['targets'][number];

const addressOf = ({ host, port, transport }: Target): string =>
  `${host.includes(':') ? `[${host}]` : host}${port === null ? '' : `:${port}`} ${transport?.toUpperCase() ?? ''}`.trim();

const Targets = ({ all }: { all: readonly Target[] }): VNode => (
  <div class="table-place" tabIndex={0} role="region" aria-label={plural(all.length, 'target')}>
    <table class="table">
      <thead>
        <tr>
          {['Target', 'State', 'Response', 'Time'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {all.map((one) => (
          <tr key={addressOf(one)}>
            <th scope="row">
              <code>{addressOf(one)}</code>
            </th>
            <td>
              <Pill status={one.state} label={LABELS[one.state]} />
            </td>
            <td>{one.reason ?? (one.sip_status === null ? '–' : `SIP ${one.sip_status}`)}</td>
            <td>{one.rtt_ms === null ? '–' : `${one.rtt_ms} ms`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
