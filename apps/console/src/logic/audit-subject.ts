import { words } from './format.js';

/** Names by kind and id: `agent 7`. */
export type RecordNames = ReadonlyMap<string, string>;

interface ChangedRecord {
  action: string;
  subject: { kind: string; id: string } | null;
  details: Readonly<Record<string, unknown>>;
}

const PAGES: Readonly<Record<string, string>> = {
  agent: 'agents',
  campaign: 'campaigns',
  number: 'numbers',
  trunk: 'trunks',
  call: 'calls',
};

/** Pages of records that belong to an agent. */
const PAGES_OF_AGENTS: Readonly<Record<string, string>> = { tool: 'tools', knowledge_base: 'knowledge' };

const textIn = (details: ChangedRecord['details'], name: string): string | undefined => {
  const { [name]: value } = details;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** What an event is about, for people: by the name at the time of the event, else by that of today, else by the id. null: nothing. */
export function subjectOf(
  { action, subject, details }: ChangedRecord,
  names: RecordNames = new Map(),
): { kind: string; name: string; href: string | undefined } | null {
  if (subject === null) return null;
  const { kind, id } = subject;
  const agent = names.get(`agent ${String(details['agent_id'])}`);
  const name = textIn(details, 'name') ?? textIn(details, 'title') ?? names.get(`${kind} ${id}`) ?? id;
  const owner = agent !== undefined && kind !== 'agent' ? ` of ${agent}` : '';
  return {
    kind: words(kind).toLowerCase(),
    name: `${name}${owner}`,
    href: hrefOf({ kind, id, action, details }, names),
  };
}

/** Of a record that exists, as far as this is known. */
function hrefOf(
  { kind, id, action, details }: { kind: string; id: string } & Pick<ChangedRecord, 'action' | 'details'>,
  names: RecordNames,
): string | undefined {
  if (action.endsWith('.deleted')) return undefined;
  const { [kind]: page } = PAGES;
  if (page !== undefined) return kind === 'call' || names.has(`${kind} ${id}`) ? `#/${page}/${id}` : undefined;
  const { [kind]: ofAgent } = PAGES_OF_AGENTS;
  const agentId = String(details['agent_id']);
  return ofAgent !== undefined && names.has(`agent ${agentId}`) ? `#/${ofAgent}/${agentId}/${id}` : undefined;
}
