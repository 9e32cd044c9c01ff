import type { VNode } from 'preact';
import { apiPath } from '../api/path.js';
import type { Trunk } from '../api/types.js';
import { Loaded, Rows, Steps, usePaged } from '../components/lists.js';
import { CommandLine, Empty, type Fact, Facts, InUse, Page, Pill, Time } from '../components/parts.js';
import { plural } from '../logic/format.js';

const HEALTH_MS = 5_000;
type Target = Trunk['targets'][number];

/** The SIP trunks of the account with the health of each target. */
export function TrunksPage(): VNode {
  const trunks = usePaged<Trunk>(apiPath`trunks`, { every: () => HEALTH_MS });
  return (
    <Page title="Trunks" lead="Connections to carriers, with the health of every target.">
      <Loaded of={trunks} what="trunks">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(trunk) => <TrunkRow trunk={trunk} />}
            empty={
              <Empty icon="trunk" title="No trunks yet">
                <p>Trunks come from a workspace file:</p>
                <CommandLine text="bin/trunkline apply -f workspace.yaml" />
              </Empty>
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

function TrunkRow({ trunk }: { trunk: Trunk }): VNode {
  return (
    <article class="card stack" data-trunk={trunk.name}>
      <header class="split">
        <h2>{trunk.name}</h2>
        <span class="pills">
          {!trunk.active && <InUse active={false} />}
          <Pill status={trunk.state} label={LABELS[trunk.state]} />
        </span>
      </header>
      {trunk.reason !== null && <p class="field-error">{trunk.reason}</p>}
      <Facts all={factsOf(trunk)} />
      <Targets all={trunk.targets} />
    </article>
  );
}

function factsOf(trunk: Trunk): Fact[] {
  const all: Fact[] = [
    [
      'Live calls',
      trunk.concurrent_calls === null ? String(trunk.live_calls) : `${trunk.live_calls} of ${trunk.concurrent_calls}`,
    ],
    ['Encryption', { off: 'Off', optional: 'SRTP if offered', required: 'SRTP required' }[trunk.srtp]],
    ['Transfer', trunk.transfer === 'bridge' ? 'Second leg' : 'SIP REFER'],
  ];
  if (trunk.calls_per_second !== null) all.push(['Calls per second', String(trunk.calls_per_second)]);
  if (trunk.username !== null) all.push(['Username', trunk.username]);
  if (trunk.codecs !== null) all.push(['Codecs', trunk.codecs.join(', ')]);
  if (trunk.checked_at !== null) all.push(['Checked', <Time iso={trunk.checked_at} />]);
  return all;
}

const Targets = ({ all }: { all: readonly Target[] }): VNode => (
  <div class="table-place" tabIndex={0} role="region" aria-label={plural(all.length, 'target')}>
    <table class="table">
      <thead>
        <tr>
          {['Target', 'Priority', 'State', 'Answer', 'Time'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {all.map((one) => (
          <tr key={`${one.host}:${one.port}`}>
            <th scope="row">
              <code>{`${one.host}${one.port === null ? '' : `:${one.port}`}${one.transport === null ? '' : ` ${one.transport.toUpperCase()}`}`}</code>
            </th>
            <td>{one.priority}</td>
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
