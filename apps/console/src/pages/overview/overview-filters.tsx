import { agentsOf, campaignsOf, numbersOf, trunksOf, versionsOf } from '../../api/records.js';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { Filters } from '../../components/filters.js';
import { Chips, Choice, type ChoiceParts } from '../../components/forms.js';
import { useRead } from '../../components/lists.js';
import { setQuery } from '../../components/router.js';
import { DIMENSIONS, type OverviewState } from '../../logic/analytics.js';
import { words } from '../../logic/format.js';

const RANGES = [
  ['1', 'Today'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const;

const INTERVALS = [
  ['', 'Auto interval'],
  ['hour', 'By hour'],
  ['day', 'By day'],
  ['week', 'By week'],
  ['month', 'By month'],
] as const;

const OUTCOMES = ['completed', 'busy', 'no_answer', 'failed', 'cancelled'];

const CHANNELS = [
  ['', 'Phone calls'],
  ['web', 'Web calls'],
  ['any', 'Phone and web'],
] as const;

/** A step of the history: the back button returns to what was shown before. */
const choose = (changes: Readonly<Record<string, string>>): void => setQuery(changes, 'step');

const NO_FILTERS = {
  agent_id: '',
  agent_version: '',
  campaign_id: '',
  number_id: '',
  trunk_id: '',
  outcome: '',
  include_tests: '',
  channel: '',
  by: '',
};

/** Range, interval, time zone, groups and filters of the overview. */
export function OverviewFilters({ state }: { state: OverviewState }): VNode {
  const count =
    state.groupBy.length + Object.keys(state.filter).length + Number(state.withTests) + Number(state.channel !== '');
  return (
    <Filters count={count} class="overview-filters">
      <div class="filters">
        <Range state={state} />
        <Choice
          aria-label="Interval"
          options={INTERVALS}
          selected={state.interval}
          onChange={(interval) => choose({ interval })}
        />
        <Zone zone={state.zone} />
      </div>
      <div class="filters">
        <Groups groupBy={state.groupBy} />
        <Records state={state} />
        <Choice
          name="channel"
          aria-label="Channel"
          options={CHANNELS}
          selected={state.channel}
          onChange={(channel) => choose({ channel })}
        />
        <button
          type="button"
          role="switch"
          class="switch"
          data-switch="include_tests"
          aria-checked={state.withTests}
          onClick={() => choose({ include_tests: state.withTests ? '' : 'true' })}
        >
          Include test calls
        </button>
        {count > 0 && (
          <button type="button" class="quiet" onClick={() => choose(NO_FILTERS)}>
            Clear filters
          </button>
        )}
      </div>
    </Filters>
  );
}

const Range = ({ state }: { state: OverviewState }): VNode => (
  <>
    <Chips
      label="Range"
      options={RANGES}
      chosen={String(state.days ?? '')}
      onChoose={(days) => choose({ days, from: '', to: '' })}
      data="days"
    />
    <div class="days">
      {(['from', 'to'] as const).map((name) => (
        <label key={name}>
          {name === 'from' ? 'From' : 'To'}
          <input
            type="date"
            name={name}
            value={state[name]}
            onChange={(event) => choose({ [name]: event.currentTarget.value, days: '' })}
          />
        </label>
      ))}
    </div>
  </>
);

function Zone({ zone }: { zone: string }): VNode {
  const zones = useRef([...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])]).current;
  return (
    <Choice
      aria-label="Time zone"
      options={zones.map((one) => [one, one] as const)}
      selected={zone}
      onChange={(chosen) => choose({ zone: chosen })}
    />
  );
}

function Groups({ groupBy: [first = '', second = ''] }: { groupBy: readonly string[] }): VNode {
  const group = (by: readonly string[]): void => choose({ by: by.filter((one) => one !== '').join(',') });
  const options = (none: string, without: string): ChoiceParts['options'] => [
    ['', none],
    ...DIMENSIONS.filter(([name]) => name !== without).map(
      ([name, label]) => [name, `By ${label.toLowerCase()}`] as const,
    ),
  ];
  return (
    <>
      <Choice
        aria-label="Group by"
        options={options('No grouping', '')}
        selected={first}
        onChange={(chosen) => group(chosen === '' ? [] : [chosen, second === chosen ? '' : second])}
      />
      {first !== '' && (
        <Choice
          aria-label="Then group by"
          options={options('No second group', first)}
          selected={second}
          onChange={(chosen) => group([first, chosen])}
        />
      )}
    </>
  );
}

/** Selects of records. One whose list the token may not read has the value of the address only. */
function Records({ state: { filter } }: { state: OverviewState }): VNode {
  const agents = useRead('agents', agentsOf).data;
  const campaigns = useRead('campaigns', campaignsOf).data;
  const numbers = useRead('numbers', numbersOf).data;
  const trunks = useRead('trunks', trunksOf).data;
  const select = (name: keyof typeof filter, any: string, known: ChoiceParts['options'] | undefined): VNode => {
    const { [name]: value = '' } = filter;
    const isKnown = value === '' || known?.some(([one]) => String(one) === value);
    return (
      <Choice
        name={name}
        aria-label={any.replace('Any ', '').replace(/^./, (letter) => letter.toUpperCase())}
        options={[['', any], ...(isKnown ? [] : [[value, value] as const]), ...(known ?? [])]}
        selected={value}
        onChange={(chosen) => choose({ [name]: chosen, ...(name === 'agent_id' && { agent_version: '' }) })}
      />
    );
  };
  return (
    <>
      {select(
        'agent_id',
        'Any agent',
        agents?.map(({ id, name }) => [id, name]),
      )}
      {filter.agent_id && <Versions agentId={filter.agent_id} chosen={filter.agent_version ?? ''} />}
      {select(
        'campaign_id',
        'Any campaign',
        campaigns?.map(({ id, name }) => [id, name]),
      )}
      {select(
        'number_id',
        'Any number',
        numbers?.map(({ id, e164 }) => [id, e164]),
      )}
      {select(
        'trunk_id',
        'Any trunk',
        trunks?.map(({ id, name }) => [id, name]),
      )}
      {select(
        'outcome',
        'Any outcome',
        OUTCOMES.map((one) => [one, words(one)]),
      )}
    </>
  );
}

function Versions({ agentId, chosen }: { agentId: string; chosen: string }): VNode {
  const versions = useRead(`versions ${agentId}`, (signal) => versionsOf(agentId, signal)).data ?? [];
  return (
    <Choice
      name="agent_version"
      aria-label="Version"
      options={[['', 'Any version'], ...versions.map(({ version }) => [version, `Version ${version}`] as const)]}
      selected={chosen}
      onChange={(version) => choose({ agent_version: version })}
    />
  );
}
