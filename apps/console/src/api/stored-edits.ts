import { MAX_AGE_MS, type StoredEdits, surplusKeys } from '../logic/unsaved-edits.js';

/** In the local storage, by account and record: `trunkline.draft.7.agents/12`. */
const PREFIX = 'trunkline.draft.';

const keyOf = (accountId: number, record: string): string => `${PREFIX}${accountId}.${record}`;

function parsed(key: string): StoredEdits | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '') as StoredEdits;
  } catch {
    // Not written by this console, or cut off: it cannot be restored.
    return undefined;
  }
}

const allKeys = (): string[] => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));

/** The unsaved edits of a record; undefined: there are none, or they are too old. */
export function readEdits(accountId: number, record: string): StoredEdits | undefined {
  const key = keyOf(accountId, record);
  const edits = localStorage.getItem(key) === null ? undefined : parsed(key);
  if (edits && Date.now() - edits.at <= MAX_AGE_MS) return edits;
  localStorage.removeItem(key);
  return undefined;
}

/** Keeps the edits of a record, and removes old ones of all records. @returns false if the browser has no room for them */
export function keepEdits(accountId: number, record: string, edits: StoredEdits): boolean {
  const key = keyOf(accountId, record);
  try {
    localStorage.setItem(key, JSON.stringify(edits));
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return false;
  }
  const stored = allKeys().map((one) => ({ key: one, at: parsed(one)?.at ?? 0 }));
  for (const surplus of surplusKeys(stored, Date.now())) localStorage.removeItem(surplus);
  return true;
}

export const removeEdits = (accountId: number, record: string): void =>
  localStorage.removeItem(keyOf(accountId, record));

/** At sign-out. */
export function removeAllEdits(): void {
  for (const key of allKeys()) localStorage.removeItem(key);
}
