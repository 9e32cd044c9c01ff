import { isMissingPrivilege } from '@app/database';
import { GRANT_REMEDY } from '../installation.js';
import { sentenceFor } from '../problem.js';

/** The result of one check of `trunkline doctor`, as `--json` prints it. */
export interface Finding {
  check: string;
  /** `warning`: the installation works, but needs attention. `wrong`: exit code 1. */
  state: 'ok' | 'warning' | 'wrong';
  /** Contains no secret, phone number or customer name. */
  says: string;
  remedy?: string;
}

export type CheckResult = Omit<Finding, 'check'>;

export const ok = (says: string): CheckResult => ({ state: 'ok', says });
export const warning = (says: string, remedy: string): CheckResult => ({ state: 'warning', says, remedy });
export const wrong = (says: string, remedy: string): CheckResult => ({ state: 'wrong', says, remedy });

type Check = () => Promise<CheckResult>;

/** A check, with the remedy for failures without a sentence of their own. */
export type NamedCheck = [name: string, run: Check, remedy: string];

const MAX_MS = 15_000;

/** Runs one check. An exception or a run of more than 15 s makes it `wrong`. */
export async function runCheck([check, run, remedy]: NamedCheck): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${MAX_MS / 1_000} s.`)), MAX_MS);
  });
  try {
    return { check, ...(await Promise.race([run(), late])) };
  } catch (error) {
    const applicable = isMissingPrivilege(error) ? GRANT_REMEDY : remedy;
    return { check, ...wrong(sentenceFor(error) ?? messageOf(error), applicable) };
  } finally {
    clearTimeout(timer);
  }
}

const messageOf = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string };
  return [message || 'It failed.', ...(code ? [`(${code})`] : [])].join(' ');
};
