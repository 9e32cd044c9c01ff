import type { WorkspaceReport } from '@app/workspace';

type Change = WorkspaceReport['changes'][number];
type Overwritten = WorkspaceReport['overwrote'][number];

/** The records of the file, as JSON; deleted records and overwritten values only where there are any. */
export function appliedRecords({ accounts, changes, overwrote }: WorkspaceReport): object {
  const deleted = changes
    .filter(({ result }) => result === 'deleted')
    .map(({ account, kind, name, id }) => ({ account, kind, name, id }));
  return { accounts, ...(deleted.length > 0 ? { deleted } : {}), ...(overwrote.length > 0 ? { overwrote } : {}) };
}

/** A line for every record of the file, every deleted record and every overwritten value. */
export function appliedLines({ accounts, changes, overwrote }: WorkspaceReport): string[] {
  const deleted = changes.filter(({ result }) => result === 'deleted');
  return [
    ...accounts.flatMap((account) => [
      line('account', account),
      ...account.numbers.map((node) => `  ${line('number', node)}`),
      ...account.trunks.map((node) => `  ${line('trunk', node)}`),
      ...account.agents.map((node) => `  ${line('agent', node)}`),
    ]),
    ...deleted.map(({ account, kind, name, id }) => `${account}: ${kind} ${name}: id ${id}, deleted`),
    ...overwrote.map((value) => `overwrote: ${overwrittenText(value)}`),
  ];
}

const line = (kind: string, node: { id: number; name: string; result: string }): string =>
  `${kind} ${node.name}: id ${node.id}, ${node.result}`;

/** The changes of a dry run, field by field. */
export function planLines({ changes, overwrote, refused }: WorkspaceReport): string[] {
  if (changes.length === 0 && refused.length === 0) return ['Nothing would change.'];
  return [
    ...changes.flatMap(({ account, kind, name, result, fields }) => [
      `${kind === 'account' ? '' : `${account}: `}${kind} ${name}: would be ${result}`,
      ...fields.map((field) => `    ${field.field}: ${changeText(field)}`),
    ]),
    ...refused.map(({ account, kind, name, reason }) => `${account}: ${kind} ${name}: cannot be deleted: ${reason}`),
    ...overwrote.map((value) => `would overwrite: ${overwrittenText(value)}`),
  ];
}

function overwrittenText({ account, kind, name, field, changed_at: at, token_id: token }: Overwritten): string {
  const record = kind === 'account' ? account : `${account}/${kind}s/${name}`;
  return `${record} ${field}, changed over REST on ${at}${token === null ? '' : ` (token ${token})`}`;
}

function changeText(field: Change['fields'][number]): string {
  if (!('to' in field)) return 'changed (secret)';
  const [from, to] = [shortText(field.from), shortText(field.to)];
  if (!('from' in field)) return to;
  return from === to ? `${to} (changed)` : `${from} -> ${to}`;
}

const MAX_VALUE_LENGTH = 120;

function shortText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}… (${text.length} characters)` : text;
}
