import { words } from './format.js';
import { CAUSES } from './hangup-causes.js';
import type { Call } from './types.js';

/** A call that the service itself cut is `completed` in the API and must not look like a success. */
const CUT_OFF = 'cut_off';

/** The status as people should see it: `cut_off` for an answered call that the stop of its dialer ended. */
export const shownStatus = ({ status, hangup_cause }: Pick<Call, 'status' | 'hangup_cause'>): string =>
  status === 'completed' && hangup_cause === 'drained' ? CUT_OFF : status;

/** A status with its cause in words, of an event of any release: `Cut off: the service was stopped`. */
export function statusWords(status: string, cause: string | undefined): string {
  if (status === 'completed' && cause === 'drained') return `${words(CUT_OFF)}: ${lower(CAUSES.drained)}`;
  return cause === undefined ? words(status) : `${words(status)}: ${lower(words(cause))}`;
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
