import type { Log } from '@app/common';
import type { SipLog } from '@app/telephony';

/** The log of the process with the interface of the telephony library. */
export const sipLogOf = (log: Log): SipLog => ({
  debug: (message, fields) => log.debug(fields, message),
  warn: (message, fields) => log.warn(fields, message),
});
