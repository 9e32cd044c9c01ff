import type { VNode } from 'preact';
import { apiPath } from '../../api/path.js';
import type { AuditEvent } from '../../api/types.js';
import { Loaded, Rows, Steps, usePaged } from '../../components/lists.js';
import { Empty, Json, Page, Time } from '../../components/parts.js';
import { Days, momentOf, pageOfAddress, place, QueryChoice } from '../../components/router.js';
import { words } from '../../logic/format.js';

/** The kinds of subjects that the service writes about. */
const SUBJECTS = [
  'account',
  'agent',
  'agent_version',
  'call',
  'campaign',
  'do_not_call_entry',
  'knowledge_base',
  'knowledge_test',
  'mcp_server',
  'number',
  'session',
  'test_run',
  'token',
  'tool',
  'trunk',
  'webhook_delivery',
  'webhook_endpoint',
  'webhook_secret',
];

/** Who changed what, newest first. */
export function AuditPage(): VNode {
  const { query } = place.value;
  const filters = {
    subject: query.get('subject') ?? '',
    actor: query.get('actor') ?? '',
    date_from: momentOf(query.get('from'), '00:00'),
    date_to: momentOf(query.get('to'), '23:59:59.999'),
  };
  const events = usePaged<AuditEvent>(apiPath`audit-events`, { query: filters, at: pageOfAddress() });
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <Page title="Audit log" lead="Every change to this account, with its actor, time and request.">
      <Filters actor={filters.actor} />
      <Loaded of={events} what="the audit log">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(event) => <EventRow event={event} />}
            empty={
              <Empty icon="log" title={isFiltered ? 'No matching events' : 'No events yet'}>
                <p>{isFiltered ? 'No events match these filters.' : 'Changes to this account appear here.'}</p>
              </Empty>
            }
            class="rows"
            label="Audit events"
          />
        )}
      </Loaded>
      <Steps of={events} label="Pages of audit events" />
    </Page>
  );
}

/** A link of a person sets an actor that is not a kind. */
const chosenPerson = (actor: string): (readonly [string, string])[] =>
  actor.startsWith('person:') ? [[actor, 'This person']] : [];

const Filters = ({ actor }: { actor: string }): VNode => (
  <div class="filters" role="search">
    <QueryChoice
      name="subject"
      label="Subject"
      options={[['', 'Any subject'], ...SUBJECTS.map((one) => [one, words(one)] as const)]}
    />
    <QueryChoice
      name="actor"
      label="Actor"
      options={[['', 'Any actor'], ...chosenPerson(actor), ...Object.entries(ACTORS)]}
    />
    <Days />
  </div>
);

const ACTORS: Readonly<Record<string, string>> = {
  person: 'Person',
  token: 'Token',
  cli: 'Command line',
  system: 'Service',
};

const nameOf = ({ kind, id, name, email }: AuditEvent['actor']): string =>
  `${ACTORS[kind] ?? kind} ${name ?? email ?? id ?? ''}`.trim() + (name && email ? ` (${email})` : '');

const EventRow = ({
  event: { at, actor, action, subject, details, request_id: request },
}: {
  event: AuditEvent;
}): VNode => (
  <div class="record audit" data-action={action}>
    <div class="split">
      <strong>{words(action.replace('.', ': '))}</strong>
      <span class="muted small">
        <Time iso={at} />
      </span>
    </div>
    <p class="muted small">
      {actor.kind === 'person' ? <a href={`#/audit?actor=person:${actor.id}`}>{nameOf(actor)}</a> : nameOf(actor)}
      {subject && ` · ${words(subject.kind).toLowerCase()} ${subject.id}`}
    </p>
    <details>
      <summary>Details</summary>
      <Json title="Details" value={details} />
      {request !== null && (
        <p class="muted small">
          Request <code>{request}</code>
        </p>
      )}
    </details>
  </div>
);
