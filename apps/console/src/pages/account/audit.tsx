import type { VNode } from 'preact';
import { apiPath } from '../../api/path.js';
import { agentsOf, campaignsOf, numbersOf, tokensOf, trunksOf } from '../../api/records.js';
import type { AuditEvent } from '../../api/types.js';
import { countOf, Filters } from '../../components/filters.js';
import { Loaded, Rows, Steps, usePaged, useRead } from '../../components/lists.js';
import { Empty, Json, Page, Time } from '../../components/parts.js';
import { Days, momentOf, pageOfAddress, place, QueryChoice } from '../../components/router.js';
import { type RecordNames, subjectOf } from '../../logic/audit-subject.js';
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
  const names = useRead('names of records', namesOfRecords).data;
  const count = countOf(filters);
  return (
    <Page title="Audit log" lead="Every change to this account, with its actor, time and request.">
      <AuditFilters actor={filters.actor} names={names} count={count} />
      <Loaded of={events} what="the audit log">
        {({ data }) => (
          <Rows
            items={data}
            keyOf={({ id }) => id}
            row={(event) => <EventRow event={event} names={names} />}
            empty={
              <Empty icon="log" title={count > 0 ? 'No matching events' : 'No events yet'}>
                <p>{count > 0 ? 'No events match these filters.' : 'Changes to this account appear here.'}</p>
                {count > 0 && <a href="#/audit">Show all events</a>}
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

/** Names of the records that the session may read, by kind and id: `agent 7`. */
async function namesOfRecords(signal: AbortSignal): Promise<RecordNames> {
  const [agents, campaigns, numbers, tokens, trunks] = await Promise.all(
    [agentsOf, campaignsOf, numbersOf, tokensOf, trunksOf].map((read) => read(signal)),
  );
  const named = (kind: string, all: readonly { id: number; name: string }[] | undefined) =>
    (all ?? []).map(({ id, name }) => [`${kind} ${id}`, name] as const);
  return new Map([
    ...named('agent', agents),
    ...named('campaign', campaigns),
    ...named('number', numbers),
    ...named('token', tokens),
    ...named('trunk', trunks),
  ]);
}

interface FiltersParts {
  actor: string;
  names: RecordNames | undefined;
  count: number;
}

/** A link of a person or a token sets an actor that is not a kind. */
function chosenActor(actor: string, names: RecordNames | undefined): (readonly [string, string])[] {
  if (actor.startsWith('person:')) return [[actor, 'This person']];
  return actor.startsWith('token:') ? [[actor, `The token ${names?.get(actor.replace(':', ' ')) ?? ''}`]] : [];
}

const AuditFilters = ({ actor, names, count }: FiltersParts): VNode => (
  <Filters count={count}>
    <QueryChoice
      name="subject"
      label="Subject"
      options={[['', 'Any subject'], ...SUBJECTS.map((one) => [one, words(one)] as const)]}
    />
    <QueryChoice
      name="actor"
      label="Actor"
      options={[['', 'Any actor'], ...chosenActor(actor, names), ...Object.entries(ACTORS)]}
    />
    <Days />
  </Filters>
);

const ACTORS: Readonly<Record<string, string>> = {
  person: 'Person',
  token: 'Token',
  cli: 'Command line',
  system: 'Service',
};

function actorOf({ kind, id, name, email }: AuditEvent['actor'], names: RecordNames | undefined): string {
  const known = kind === 'token' ? names?.get(`token ${id}`) : name;
  return `${ACTORS[kind] ?? kind} ${known ?? email ?? id ?? ''}`.trim() + (name && email ? ` (${email})` : '');
}

const Actor = ({ actor, names }: { actor: AuditEvent['actor']; names: RecordNames | undefined }): VNode =>
  (actor.kind === 'person' || actor.kind === 'token') && actor.id !== null ? (
    <a href={`#/audit?actor=${actor.kind}:${actor.id}`}>{actorOf(actor, names)}</a>
  ) : (
    <>{actorOf(actor, names)}</>
  );

function Subject({ event, names }: EventParts): VNode | null {
  const found = subjectOf(event, names);
  if (!found) return null;
  return (
    <>
      {` · ${found.kind} `}
      {found.href === undefined ? found.name : <a href={found.href}>{found.name}</a>}
    </>
  );
}

interface EventParts {
  event: AuditEvent;
  names: RecordNames | undefined;
}

const EventRow = ({ event, names }: EventParts): VNode => (
  <div class="record audit" data-action={event.action}>
    <div class="split">
      <strong>{words(event.action.replace('.', ': '))}</strong>
      <span class="muted small">
        <Time iso={event.at} />
      </span>
    </div>
    <p class="muted small">
      <Actor actor={event.actor} names={names} />
      <Subject event={event} names={names} />
    </p>
    <details>
      <summary>Details</summary>
      <Json title="Details" value={event.details} />
      {event.request_id !== null && (
        <p class="muted small">
          Request <code>{event.request_id}</code>
        </p>
      )}
    </details>
  </div>
);
