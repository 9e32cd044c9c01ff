import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { ask, download } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import { agentsOf, numbersOf, trunksOf } from '../../api/records.js';
import type { Campaign, CampaignContact, CampaignProgress } from '../../api/types.js';
import { WarningsOfAgent } from '../../components/agent-warnings.js';
import { Icon } from '../../components/icons.js';
import { Loaded, Rows, Steps, usePaged, useRead } from '../../components/lists.js';
import {
  announce,
  Card,
  ConfirmButton,
  Empty,
  type Fact,
  Facts,
  Page,
  Pill,
  Time,
  useAct,
} from '../../components/parts.js';
import { e164Of } from '../../components/number-input.js';
import { ActButton, May } from '../../components/permissions.js';
import { pageOfAddress, type Params, place, QueryChoice, setQuery } from '../../components/router.js';
import { dollars, plural, words } from '../../logic/format.js';
import { ImportCard } from './campaign-import.js';
import { CampaignBar, settledText, useProgress } from './campaigns.js';

const LIVE_MS = 1_000;
const CALM_MS = 5_000;

/** A campaign with its live progress and its contacts. */
export function CampaignPage({ params: { id = '' } }: { params: Params }): VNode {
  const campaign = useRead<Campaign>(
    `campaign ${id}`,
    async (signal) => (await ask<{ data: Campaign }>('GET', apiPath`campaigns/${id}`, { signal })).data,
    ({ status }) => (status === 'running' ? LIVE_MS : CALM_MS),
  );
  // What is shown of the contacts is read again after an import.
  const imports = useSignal(0);
  const added = (): void => {
    imports.value += 1;
    campaign.again();
  };
  return (
    <Page
      title={campaign.data?.name ?? 'Campaign'}
      back={['#/campaigns', 'Campaigns']}
      aside={campaign.data && <Pill status={campaign.data.status} />}
    >
      <Loaded of={campaign} what="the campaign">
        {(one) => (
          <div class="with-aside">
            <div class="main-column stack">
              <ProgressCard one={one} imports={imports.value} onChange={campaign.again} />
              <Contacts campaign={one} imports={imports.value} />
            </div>
            <aside class="stack" aria-label="Settings and import">
              <SettingsCard one={one} />
              {(one.status === 'draft' || one.status === 'running' || one.status === 'paused') && (
                <ImportCard campaignId={one.id} agentId={one.agent_id} onAdded={added} />
              )}
            </aside>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const PAUSES: Readonly<Record<string, string>> = {
  requested: 'Paused manually.',
  failure_rate: 'Paused: the failure threshold was reached.',
  agent_inactive: 'Paused: the agent is inactive or deleted.',
  no_number: 'Paused: none of its caller IDs is active.',
  spend_limit: 'Paused: the daily spend limit was reached.',
};

interface ProgressParts {
  one: Campaign;
  imports: number;
  onChange: () => void;
}

function ProgressCard({ one, imports, onChange }: ProgressParts): VNode {
  const progress = useProgress(one, imports);
  return (
    <Card
      title="Progress"
      name="progress"
      aside={<span class="muted">{progress.data && settledText(progress.data.contacts)}</span>}
    >
      {one.pause_reason !== null && <p class="field-error">{PAUSES[one.pause_reason] ?? words(one.pause_reason)}</p>}
      <Loaded of={progress} what="the progress">
        {(found) => <ProgressFacts name={one.name} progress={found} />}
      </Loaded>
      {(one.status === 'draft' || one.status === 'paused') && <WarningsOfAgent agentId={one.agent_id} />}
      <Actions one={one} onChange={onChange} />
    </Card>
  );
}

/** Reasons of contacts that will be called. */
const WAITING: ReadonlySet<string> = new Set([
  'campaign_paused',
  'waiting_for_start',
  'waiting_for_capacity',
  'waiting_for_window',
  'waiting_for_retry',
  'not_before',
  'contact_limit',
]);

function ProgressFacts({ name, progress }: { name: string; progress: CampaignProgress }): VNode {
  const { total, ...contacts } = progress.contacts;
  const outcomes = Object.fromEntries(Object.entries(progress.outcomes).filter(([, count]) => count > 0));
  const isWaiting = ([reason]: readonly [string, number]): boolean => WAITING.has(reason);
  const reasons = Object.entries(progress.status === 'draft' ? {} : progress.reasons);
  const waiting = Object.fromEntries(reasons.filter(isWaiting));
  const unreached = Object.fromEntries(reasons.filter((reason) => !isWaiting(reason)));
  const facts: Fact[] = [
    ['Live calls', progress.live_calls.toLocaleString('en-US')],
    ['Attempts', progress.attempts.toLocaleString('en-US')],
    ['Cost', dollars(progress.cost)],
  ];
  if (progress.next_attempt_at !== null) facts.push(['Next call', <Time iso={progress.next_attempt_at} />]);
  return (
    <>
      <CampaignBar name={name} contacts={progress.contacts} />
      {total > 0 && <Counts label="Contacts" counts={contacts} />}
      {Object.keys(outcomes).length > 0 && <Counts label="Last call outcomes" counts={outcomes} wordOf={outcomeWord} />}
      {Object.keys(waiting).length > 0 && <Counts label="Waiting contacts, by reason" counts={waiting} />}
      {Object.keys(unreached).length > 0 && <Counts label="Contacts not reached, by reason" counts={unreached} />}
      <Facts all={facts} />
    </>
  );
}

interface CountsParts {
  label: string;
  counts: Readonly<Record<string, number>>;
  wordOf?: (name: string) => string;
}

/** Without the detection of answering machines it is unknown who answered. */
const OUTCOMES: Readonly<Record<string, string>> = {
  human: 'Person',
  machine: 'Answering machine',
  unknown: 'Answered',
};

const outcomeWord = (outcome: string): string => OUTCOMES[outcome] ?? words(outcome);

const Counts = ({ label, counts, wordOf = words }: CountsParts): VNode => (
  <section aria-label={label}>
    <h3 class="small muted">{label}</h3>
    <div class="counts">
      {Object.entries(counts).map(([name, count]) => (
        <div key={name} data-count={name}>
          <strong>{count.toLocaleString('en-US')}</strong>
          <span class="muted small">{wordOf(name)}</span>
        </div>
      ))}
    </div>
  </section>
);

const STEPS: Readonly<Record<Campaign['status'], readonly (readonly [act: string, label: string])[]>> = {
  draft: [['start', 'Start']],
  running: [['pause', 'Pause']],
  paused: [['resume', 'Resume']],
  completed: [],
  cancelled: [],
};

interface StepParts {
  name: string;
  label: string;
  isBusy: boolean;
  onPress: () => void;
}

const Step = ({ name, label, isBusy, onPress }: StepParts): VNode => (
  <ActButton scope="campaigns:write" class="primary" data-act={name} isBusy={isBusy} onClick={onPress}>
    <Icon name={name === 'pause' ? 'pause' : 'play'} />
    {label}
  </ActButton>
);

function Actions({ one, onChange }: { one: Campaign; onChange: () => void }): VNode {
  const { run, isBusy, said } = useAct();
  const act = (name: string): void =>
    run(async () => {
      await ask('POST', apiPath`campaigns/${one.id}/${name}`);
      onChange();
    });
  const remove = (): void =>
    run(async () => {
      await ask('DELETE', apiPath`campaigns/${one.id}`);
      announce(`The campaign ${one.name} was deleted.`);
      location.hash = '#/campaigns';
    });
  const save = (): void => run(() => download(apiPath`campaigns/${one.id}/contacts/export`, `campaign-${one.id}.csv`));
  const isOpen = one.status === 'running' || one.status === 'paused';
  return (
    <>
      <div class="actions">
        {STEPS[one.status].map(([name, label]) => (
          <Step key={name} name={name} label={label} isBusy={isBusy} onPress={() => act(name)} />
        ))}
        {(isOpen || one.status === 'draft') && (
          <May scope="campaigns:write">
            <a class="button" href={`#/campaigns/${one.id}/edit`}>
              Edit
            </a>
          </May>
        )}
        <button type="button" onClick={save}>
          <Icon name="download" />
          Export
        </button>
        <a class="button quiet" href={`#/calls?campaign_id=${one.id}`}>
          Calls
        </a>
        {isOpen && (
          <ConfirmButton
            scope="campaigns:write"
            verb="Cancel"
            what={`the campaign ${one.name}`}
            onSure={() => act('cancel')}
          >
            <p>Waiting contacts are not called any more. A cancelled campaign cannot be resumed.</p>
          </ConfirmButton>
        )}
        {!isOpen && (
          <ConfirmButton scope="campaigns:write" verb="Delete" what={`the campaign ${one.name}`} onSure={remove}>
            <p>Its contacts and their results are deleted with it. Its calls remain.</p>
          </ConfirmButton>
        )}
      </div>
      {said}
    </>
  );
}

async function recordsOf(signal: AbortSignal) {
  const [agents, numbers, trunks] = await Promise.all([agentsOf(signal), numbersOf(signal), trunksOf(signal)]);
  return { agents, numbers, trunks };
}

function SettingsCard({ one }: { one: Campaign }): VNode {
  const { schedule, retry, pacing } = one;
  const records = useRead(`records of campaign ${one.id}`, recordsOf).data;
  const named = <T extends { id: number }>(all: readonly T[] | undefined, id: number, name: (record: T) => string) => {
    const found = all?.find((record) => record.id === id);
    return found ? name(found) : String(id);
  };
  const numbers = one.number_ids.map((id) => named(records?.numbers, id, ({ e164 }) => e164));
  const all: Fact[] = [
    [
      'Agent',
      one.agent_id === null ? (
        'Deleted'
      ) : (
        <a href={`#/agents/${one.agent_id}`}>{named(records?.agents, one.agent_id, ({ name }) => name)}</a>
      ),
    ],
    ['Caller IDs', numbers.length === 0 ? 'None' : numbers.join(', ')],
    ['Trunk', one.trunk_id === null ? 'None' : named(records?.trunks, one.trunk_id, ({ name }) => name)],
    ['Calling hours', schedule.windows.length === 0 ? 'Any time' : schedule.windows.map(windowText).join(', ')],
    ['Default time zone', schedule.time_zone],
    ['Attempts', `${retry.max_attempts} per contact`],
    ['Concurrent calls', pacing.concurrent_calls === null ? 'Account limit' : String(pacing.concurrent_calls)],
  ];
  if (schedule.start_at !== null) all.push(['Start', <Time iso={schedule.start_at} />]);
  if (schedule.end_at !== null) all.push(['End', <Time iso={schedule.end_at} />]);
  return (
    <Card title="Settings" name="settings">
      <Facts kind="rows-of-facts" all={all} />
    </Card>
  );
}

type Window = Campaign['schedule']['windows'][number];

const windowText = ({ days, from, to }: Window): string =>
  `${days.length === 7 ? 'daily' : days.map((day) => words(day).slice(0, 2)).join(' ')} ${from}–${to}`;

const STATUSES = [
  ['', 'All contacts'],
  ...['waiting', 'calling', 'reached', 'exhausted', 'refused', 'cancelled'].map((one) => [one, words(one)] as const),
] as const;

function Contacts({ campaign, imports }: { campaign: Campaign; imports: number }): VNode {
  const { query } = place.value;
  const [status, number] = [query.get('contacts') ?? undefined, query.get('number') ?? undefined];
  const contacts = usePaged<CampaignContact>(apiPath`campaigns/${campaign.id}/contacts`, {
    query: { status, to_number: number },
    // What is said of the contacts depends on it.
    version: `${campaign.status} ${imports}`,
    every: () => (campaign.status === 'running' ? LIVE_MS * 2 : CALM_MS),
    at: pageOfAddress(),
  });
  return (
    <Card title="Contacts" name="contacts">
      <div class="filters">
        <QueryChoice name="contacts" label="Status of contacts" options={STATUSES} />
        <input
          type="search"
          aria-label="Number"
          placeholder="+15550001111"
          defaultValue={number ?? ''}
          onChange={({ currentTarget: { value } }) =>
            void e164Of(value).then((found) => setQuery({ number: found, page: '' }))
          }
        />
      </div>
      <Loaded of={contacts} what="contacts">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(one) => <ContactRow campaignId={campaign.id} one={one} onChange={contacts.again} />}
            empty={
              <Empty icon="number" title={status || number ? 'No matching contacts' : 'No contacts yet'}>
                {!status && !number && <p>Import a CSV or Excel file with the form on this page.</p>}
              </Empty>
            }
            class="rows"
            label="Contacts"
          />
        )}
      </Loaded>
      <Steps of={contacts} label="Pages of contacts" />
    </Card>
  );
}

interface ContactRowParts {
  campaignId: number;
  one: CampaignContact;
  onChange: () => void;
}

function ContactRow({ campaignId, one, onChange }: ContactRowParts): VNode {
  const { run, said } = useAct();
  const values = Object.entries(one.variables ?? {})
    .map(([name, value]) => `${words(name)}: ${String(value)}`)
    .join(' · ');
  const remove = (): void =>
    run(async () => {
      await ask('DELETE', apiPath`campaigns/${campaignId}/contacts/${one.id}`);
      onChange();
    });
  return (
    <div class="record" data-contact={one.to_number}>
      <div class="split">
        <strong class="number-text">{one.to_number}</strong>
        <Pill status={one.status} label={words(one.status)} />
      </div>
      <p class="muted small">
        {[plural(one.attempts, 'attempt'), one.outcome && outcomeWord(one.outcome)].filter(Boolean).join(' · ')}
        {one.next_attempt_at !== null && (
          <>
            {' · next '}
            <Time iso={one.next_attempt_at} />
          </>
        )}
        {one.call_id !== null && (
          <>
            {' · '}
            <a href={`#/calls/${one.call_id}`}>last call</a>
          </>
        )}
      </p>
      {values !== '' && <p class="small">{values}</p>}
      <p class="small">{one.explanation}</p>
      {one.status === 'waiting' && (
        <div class="actions">
          <ConfirmButton scope="campaigns:write" verb="Remove" what={`the contact ${one.to_number}`} onSure={remove}>
            <p>The campaign does not call it any more.</p>
          </ConfirmButton>
        </div>
      )}
      {said}
    </div>
  );
}
