import type { VNode } from 'preact';
import { apiPath } from '../../api/path.js';
import { ask } from '../../api/client.js';
import { agentsOf } from '../../api/records.js';
import type { Campaign, CampaignProgress } from '../../api/types.js';
import { Loaded, type Read, Rows, Steps, usePaged, useRead } from '../../components/lists.js';
import { Empty, Page, Pill, Time } from '../../components/parts.js';
import { May } from '../../components/permissions.js';
import { pageOfAddress, place, QueryChoice } from '../../components/router.js';
import { plural, words } from '../../logic/format.js';

const LIVE_MS = 2_000;
const CALM_MS = 10_000;

const STATUSES = [
  ['', 'Any status'],
  ...['draft', 'running', 'paused', 'completed', 'cancelled'].map((status) => [status, words(status)] as const),
] as const;

/** The campaigns of the account with their progress. */
export function CampaignsPage(): VNode {
  const status = place.value.query.get('status') ?? undefined;
  const campaigns = usePaged<Campaign>(apiPath`campaigns`, {
    query: { status },
    every: ({ data }) => (data.some((one) => one.status === 'running') ? LIVE_MS : CALM_MS),
    at: pageOfAddress(),
  });
  const agents = useRead('agents', agentsOf).data ?? [];
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return (
    <Page
      title="Campaigns"
      lead="Call lists of contacts, with calling hours, pacing and retries."
      aside={
        <May scope="campaigns:write">
          <a class="button primary" href="#/campaigns/new">
            New campaign
          </a>
        </May>
      }
    >
      <div class="filters">
        <QueryChoice name="status" label="Status" options={STATUSES} />
      </div>
      <Loaded of={campaigns} what="campaigns">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(one) => <CampaignRow one={one} agent={names.get(one.agent_id ?? 0)} />}
            empty={
              status === undefined ? (
                <Empty icon="campaign" title="No campaigns yet">
                  <May scope="campaigns:write">
                    <p>Create one from a file of your contacts.</p>
                    <a class="button primary" href="#/campaigns/new">
                      New campaign
                    </a>
                  </May>
                </Empty>
              ) : (
                <Empty icon="search" title="No matching campaigns">
                  <a href="#/campaigns">Show all campaigns</a>
                </Empty>
              )
            }
            class="rows"
            label="Campaigns"
          />
        )}
      </Loaded>
      <Steps of={campaigns} label="Pages of campaigns" />
    </Page>
  );
}

/** Progress of a campaign, read again while it runs. */
/** `imports`: another number reads it at once. */
export const useProgress = ({ id, status, pause_reason }: Campaign, imports = 0): Read<CampaignProgress> =>
  useRead(
    `progress ${id} ${status} ${pause_reason} ${imports}`,
    async (signal) =>
      (await ask<{ data: CampaignProgress }>('GET', apiPath`campaigns/${id}/progress`, { signal })).data,
    () => (status === 'running' ? LIVE_MS : CALM_MS),
  );

function CampaignRow({ one, agent }: { one: Campaign; agent: string | undefined }): VNode {
  const { data: progress } = useProgress(one);
  return (
    <a class="record plain-link" href={`#/campaigns/${one.id}`} data-campaign={one.name}>
      <div class="split">
        <strong>{one.name}</strong>
        <Pill status={one.status} />
      </div>
      {progress && <CampaignBar name={one.name} contacts={progress.contacts} />}
      <p class="muted small">
        {progress && `${settledText(progress.contacts)} · `}
        {agent !== undefined && `${agent} · `}
        {'created '}
        <Time iso={one.created_at} />
      </p>
    </a>
  );
}

type Contacts = CampaignProgress['contacts'];

/** The contacts that will not be called again. */
const settledContacts = ({ total, waiting, calling }: Contacts): number => total - waiting - calling;

/** `40 of 100 contacts done`. */
export const settledText = (contacts: Contacts): string =>
  `${settledContacts(contacts).toLocaleString('en-US')} of ${plural(contacts.total, 'contact')} done`;

/** The share of the contacts completed, as a bar. */
export function CampaignBar({ name, contacts }: { name: string; contacts: Contacts }): VNode {
  const percent = contacts.total === 0 ? 0 : Math.floor((settledContacts(contacts) / contacts.total) * 100);
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label={`${name}: contacts completed`}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <span style={{ width: `${percent}%` }} />
    </div>
  );
}
