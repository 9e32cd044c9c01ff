import { LossyRelay } from './lossy-relay.js';

/** A documentation address (RFC 5737) as long as `127.0.0.1`, so that Content-Length stays correct. */
export const BEHIND_NAT = '192.0.2.2';

/**
 * A relay that makes a phone on loopback appear behind NAT: its session descriptions contain a forbidden address, while its SIP and its
 * audio come from 127.0.0.1.
 */
export const relayToNattedPhone = (phonePort: number): Promise<LossyRelay> =>
  LossyRelay.start(
    phonePort,
    () => 1,
    (message, direction) =>
      direction === 'to-caller' ? message.replace(/^((?:c|o)=.*IN IP4 )127\.0\.0\.1/gm, `$1${BEHIND_NAT}`) : message,
  );
