import { isMissingPrivilege } from '@app/database';
import { GRANT_REMEDY } from '../database-roles.js';
import { sentenceFor } from '../problem.js';

/** What one check of `trunkline doctor` came to. */
export interface Finding {
  check: string;
  /** `warning`: it works, and somebody should know. `wrong`: exit code 1. */
  state: 'ok' | 'warning' | 'wrong';
  /** Without secrets, numbers and names of accounts' customers. */
  says: string;
  /** What to do about it. */
  remedy?: string;
}

export const ok = (says: string): Omit<Finding, 'check'> => ({ state: 'ok', says });
export const warning = (says: string, remedy: string): Omit<Finding, 'check'> => ({ state: 'warning', says, remedy });
export const wrong = (says: string, remedy: string): Omit<Finding, 'check'> => ({ state: 'wrong', says, remedy });

export type Check = () => Promise<Omit<Finding, 'check'>>;

const LONGEST_MS = 15_000;

/** Runs one check. What it throws, and what takes longer than 15 s, is wrong. */
export async function examine(check: string, work: Check, remedy: string): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${LONGEST_MS / 1_000} s.`)), LONGEST_MS);
  });
  try {
    return { check, ...(await Promise.race([work(), late])) };
  } catch (error) {
    const what = isMissingPrivilege(error) ? GRANT_REMEDY : remedy;
    return { check, ...wrong(sentenceFor(error) ?? messageOf(error), what) };
  } finally {
    clearTimeout(timer);
  }
}

const messageOf = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string };
  return [message || 'It failed.', ...(code ? [`(${code})`] : [])].join(' ');
};
