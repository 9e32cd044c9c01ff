import type { VNode } from 'preact';
import { ask } from '../../api/client.js';
import { apiPath } from '../../api/path.js';
import type { Account } from '../../api/types.js';
import { CountryChoice } from '../../components/country-choice.js';
import { Field, Form, numberOf, textOf } from '../../components/forms.js';
import { Loaded, useRecord } from '../../components/lists.js';
import { RedactionFields, redactionOf, redactionText } from '../../components/redaction-fields.js';
import { announce, Card, type Fact, Facts, Page, Time } from '../../components/parts.js';
import { TimeZoneInput } from '../../components/time-zone.js';
import { countryName } from '../../logic/countries.js';
import { bytes, dollars, plural } from '../../logic/format.js';

/** The limits of the account and their use. */
export function AccountPage(): VNode {
  const account = useRecord<Account>(apiPath`account`);
  return (
    <Page
      title={account.data?.name ?? 'Account'}
      lead="Usage and limits of the account. Changes require an operator token with the scope account:write."
    >
      <Loaded of={account} what="the account">
        {(one) => (
          <div class="pair account">
            <Limits account={one} />
            <div class="stack">
              <Retention account={one} />
              <ContactLimits account={one} />
              <Destinations account={one} />
              <Country account={one} />
              <Change key={one.updated_at} account={one} onSaved={account.again} />
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
    ['Scheduled calls', calls.scheduled.toLocaleString('en-US')],
    ['Calls per second', orNone(limits.calls_per_second)],
    ['API requests per minute', orNone(limits.requests_per_minute)],
  ];
  return (
    <Card title="Usage" name="usage">
      <div class="stack">
        <Meter label="Live calls" used={calls.live} limit={limits.concurrent_calls} />
        <Meter label="Queued and scheduled calls" used={calls.queued + calls.scheduled} limit={limits.queued_calls} />
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

const days = (count: number | null): string => (count === null ? 'Indefinitely' : plural(count, 'day'));

const Retention = ({ account: { retention, redaction } }: { account: Account }): VNode => (
  <Card title="Retention" name="retention">
    <Facts
      kind="rows-of-facts"
      all={[
        ['Recordings', days(retention.recordings_days)],
        ['Transcripts', days(retention.transcripts_days)],
        ['Deliveries', days(retention.deliveries_days)],
        ['Documents', days(retention.documents_days)],
        ['Redaction', redactionText(redaction)],
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
          ['Denied', list(deny, 'None')],
        ]}
      />
    </Card>
  );
};

const Country = ({ account: { default_country: country } }: { account: Account }): VNode => (
  <Card title="Phone numbers" name="country">
    <Facts kind="rows-of-facts" all={[['Default country', country === null ? 'None' : countryName(country)]]} />
  </Card>
);

const ContactLimits = ({ account: { contact_limits: contact } }: { account: Account }): VNode => (
  <Card title="Contact limits" name="contact-limits">
    <Facts
      kind="rows-of-facts"
      all={[
        ['Calls per number in 24 hours', orNone(contact.attempts_per_day)],
        ['Calls per number in 7 days', orNone(contact.attempts_per_week)],
        ['Allowed local time', `${contact.earliest ?? '00:00'} to ${contact.latest ?? '24:00'}`],
        ['Default time zone', contact.time_zone ?? 'UTC'],
      ]}
    />
  </Card>
);

const CONTACT_COUNTS = [
  ['attempts_per_day', 'Calls per number in 24 hours'],
  ['attempts_per_week', 'Calls per number in 7 days'],
] as const;

const CONTACT_TIMES = [
  ['earliest', 'Earliest local time', '08:00'],
  ['latest', 'Latest local time', '21:00'],
  ['time_zone', 'Default time zone of numbers', 'Europe/Berlin'],
] as const;

const LIMITS = [
  ['concurrent_calls', 'Concurrent calls'],
  ['calls_per_second', 'Calls per second'],
  ['queued_calls', 'Queued calls'],
  ['requests_per_minute', 'API requests per minute'],
  ['daily_spend_usd', 'Daily spend (USD)'],
  ['storage_bytes', 'Storage (bytes)'],
] as const;

const RETENTION = [
  ['recordings_days', 'Recording retention (days)'],
  ['transcripts_days', 'Transcript retention (days)'],
  ['deliveries_days', 'Delivery retention (days)'],
  ['documents_days', 'Document retention (days)'],
] as const;

const prefixesOf = (values: FormData, name: string): string[] =>
  textOf(values, name)
    .split(/[\s,]+/)
    .filter(Boolean);

function changesOf(values: FormData, account: Account): object {
  const number =
    (group: string) =>
    ([name]: readonly [string, string]) =>
      [name, numberOf(values, `${group}.${name}`) ?? null] as const;
  const destinations = {
    allow: prefixesOf(values, 'limits.destinations.allow'),
    deny: prefixesOf(values, 'limits.destinations.deny'),
  };
  return {
    default_country: textOf(values, 'default_country') || null,
    limits: { ...Object.fromEntries(LIMITS.map(number('limits'))), destinations },
    contact_limits: {
      ...Object.fromEntries(CONTACT_COUNTS.map(number('contact_limits'))),
      ...Object.fromEntries(CONTACT_TIMES.map(([name]) => [name, textOf(values, `contact_limits.${name}`) || null])),
    },
    retention: Object.fromEntries(RETENTION.map(number('retention'))),
    redaction: redactionOf(values, account.redaction),
  };
}

/** The form of the settings, limits and retention. */
function Change({ account, onSaved }: { account: Account; onSaved: () => void }): VNode {
  const send = async (values: FormData): Promise<void> => {
    await ask('PATCH', apiPath`account`, { body: changesOf(values, account) });
    announce('Limits saved.');
    onSaved();
  };
  const { limits, retention, contact_limits: contact } = account;
  return (
    <details class="card" data-part="change">
      <summary>Edit settings, limits and retention</summary>
      <Form
        scope="account:write"
        record={{ key: 'account', name: 'the limits and retention' }}
        label="Edit limits and retention"
        class="stack"
        submit="Save"
        busy="Saving…"
        send={send}
      >
        <p class="hint">Leave a field empty for no limit or indefinite retention.</p>
        <Field
          name="default_country"
          label="Default country"
          hint="For phone numbers without a country code, in imports and in the console."
        >
          <CountryChoice none="None" selected={account.default_country ?? ''} />
        </Field>
        {LIMITS.map(([name, label]) => (
          <NumberField key={name} name={`limits.${name}`} label={label} value={limits[name]} />
        ))}
        {(['allow', 'deny'] as const).map((name) => (
          <Field
            key={name}
            name={`limits.destinations.${name}`}
            label={name === 'allow' ? 'Allowed destinations' : 'Denied destinations'}
            hint="Prefixes such as +1, separated by commas."
          >
            <input defaultValue={limits.destinations[name].join(', ')} autocomplete="off" />
          </Field>
        ))}
        {CONTACT_COUNTS.map(([name, label]) => (
          <NumberField key={name} name={`contact_limits.${name}`} label={label} value={contact[name]} />
        ))}
        {CONTACT_TIMES.map(([name, label, example]) => (
          <Field key={name} name={`contact_limits.${name}`} label={label}>
            {name === 'time_zone' ? (
              <TimeZoneInput defaultValue={contact[name] ?? ''} />
            ) : (
              <input defaultValue={contact[name] ?? ''} placeholder={example} autocomplete="off" />
            )}
          </Field>
        ))}
        {RETENTION.map(([name, label]) => (
          <NumberField key={name} name={`retention.${name}`} label={label} value={retention[name]} />
        ))}
        <RedactionFields redaction={account.redaction} />
      </Form>
    </details>
  );
}

const NumberField = ({ name, label, value }: { name: string; label: string; value: number | null }): VNode => (
  <Field name={name} label={label}>
    <input inputMode="decimal" defaultValue={value === null ? '' : String(value)} autocomplete="off" />
  </Field>
);
