import type { Log } from '@app/common';
import type { SipLog } from '@app/telephony';

/** The process's log as the telephony library writes to it. */
export const sipLogOf = (log: Log): SipLog => ({
  debug: (message, fields) => log.debug(fields, message),
  warn: (message, fields) => log.warn(fields, message),
});
