import type { CodedProblem } from './errors.js';

/** What fields refer to, as sentences name it. */
const KINDS = ['knowledge base', 'version', 'agent', 'campaign', 'number', 'trunk', 'tool', 'call', 'record'] as const;

export type ReferencedKind = (typeof KINDS)[number];

/** The problem of a reference to a record that the owner does not have. Another account's record looks the same. */
export const noRecord = (
  kind: ReferencedKind,
  id: number | string,
  owner: 'account' | 'agent' = kind === 'version' ? 'agent' : 'account',
): CodedProblem => ({
  code: 'not_found',
  message: owner === 'account' ? `No ${kind} ${id} in this account.` : `This agent has no ${kind} ${id}.`,
});

/** The problem of a reference; `active`: null if the owner has no such record. */
export function referenceProblem(
  kind: ReferencedKind,
  id: number,
  active: boolean | null,
  owner?: 'account' | 'agent',
): CodedProblem | undefined {
  if (active === null) return noRecord(kind, id, owner);
  return active ? undefined : { code: 'inactive', message: `The ${kind} ${id} is not active.` };
}

/** What a field refers to: `agent_id`, `transfer_caller_id_number_id`, `knowledge_base_ids`. */
export function kindOfField(field: string): ReferencedKind {
  const name = field.replace(/_ids?$/, '').replaceAll('_', ' ');
  return KINDS.find((one) => name === one || name.endsWith(` ${one}`)) ?? 'record';
}
