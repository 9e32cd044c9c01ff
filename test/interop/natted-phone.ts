import { LossyRelay } from './lossy-relay.js';

/** Of documentation (RFC 5737), and as long as `127.0.0.1`, so that Content-Length stays true. */
export const BEHIND_NAT = '192.0.2.2';

/**
 * A relay to a phone on loopback, which then looks as if it stood behind NAT: its session descriptions name an address that nothing may be
 * sent to, while its SIP and its audio come from 127.0.0.1.
 */
export const relayToNattedPhone = (phonePort: number): Promise<LossyRelay> =>
  LossyRelay.start(
    phonePort,
    () => 1,
    (message, direction) =>
      direction === 'to-caller' ? message.replace(/^((?:c|o)=.*IN IP4 )127\.0\.0\.1/gm, `$1${BEHIND_NAT}`) : message,
  );
