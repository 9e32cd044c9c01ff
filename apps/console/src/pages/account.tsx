import type { VNode } from 'preact';
import { apiPath } from '../api/path.js';
import type { Account } from '../api/types.js';
import { Loaded, useRecord } from '../components/lists.js';
import { Card, type Fact, Facts, Page, Time } from '../components/parts.js';
import { bytes, dollars, plural } from '../logic/format.js';

/** The limits of the account and their use. */
export function AccountPage(): VNode {
  const account = useRecord<Account>(apiPath`account`);
  return (
    <Page title={account.data?.name ?? 'Account'} lead="Limits of the account and their use. Operators change limits.">
      <Loaded of={account} what="the account">
        {(one) => (
          <div class="pair account">
            <Limits account={one} />
            <div class="stack">
              <Retention account={one} />
              <Destinations account={one} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const orNone = (limit: number | null, shown = (value: number): string => value.toLocaleString('en-US')): string =>
  limit === null ? 'no limit' : shown(limit);

function Limits({ account: { limits, spend, storage, calls } }: { account: Account }): VNode {
  const facts: Fact[] = [
    ['New calls per second', orNone(limits.calls_per_second)],
    ['API requests per minute', orNone(limits.requests_per_minute)],
  ];
  return (
    <Card title="Usage" name="usage">
      <div class="stack">
        <Meter label="Live calls" used={calls.live} limit={limits.concurrent_calls} />
        <Meter label="Queued calls" used={calls.queued} limit={limits.queued_calls} />
        <Meter label="Spend today" used={spend.today_usd} limit={limits.daily_spend_usd} shown={dollars} />
        <p class="hint">
          Resets at <Time iso={spend.resets_at} />
        </p>
        <Meter label="Storage" used={storage.used_bytes} limit={limits.storage_bytes} shown={bytes} />
        <Facts all={facts} />
      </div>
    </Card>
  );
}

interface MeterParts {
  label: string;
  used: number;
  limit: number | null;
  shown?: (value: number) => string;
}

/** A used amount of a limit, as text and as a bar. */
function Meter({ label, used, limit, shown = (value) => value.toLocaleString('en-US') }: MeterParts): VNode {
  const percent = limit === null ? 0 : Math.min(100, (used / Math.max(limit, 1e-9)) * 100);
  return (
    <div class="meter">
      <div class="split">
        <span>{label}</span>
        <strong>{limit === null ? `${shown(used)}, no limit` : `${shown(used)} of ${shown(limit)}`}</strong>
      </div>
      {limit !== null && (
        <div class="progress" aria-hidden="true">
          <span class={percent >= 90 ? 'nearly' : ''} style={{ width: `${percent}%` }} />
        </div>
      )}
    </div>
  );
}

const days = (count: number | null): string => (count === null ? 'Kept for ever' : plural(count, 'day'));

const Retention = ({ account: { retention } }: { account: Account }): VNode => (
  <Card title="Retention" name="retention">
    <Facts
      kind="rows-of-facts"
      all={[
        ['Recordings', days(retention.recordings_days)],
        ['Transcripts', days(retention.transcripts_days)],
        ['Deliveries', days(retention.deliveries_days)],
        ['Documents', days(retention.documents_days)],
      ]}
    />
  </Card>
);

const Destinations = ({ account }: { account: Account }): VNode => {
  const { allow, deny } = account.limits.destinations;
  const list = (all: readonly string[] | null, none: string): string => (all?.length ? all.join(', ') : none);
  return (
    <Card title="Destinations" name="destinations">
      <Facts
        kind="rows-of-facts"
        all={[
          ['Allowed', list(allow, 'All')],
          ['Not allowed', list(deny, 'None')],
        ]}
      />
    </Card>
  );
};
