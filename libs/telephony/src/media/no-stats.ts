import type { RtpStats } from './media-port.js';

/** Of a leg that never had audio. */
export const noStats = (): RtpStats => ({
  sent: 0,
  received: 0,
  lost: 0,
  reordered: 0,
  duplicates: 0,
  jitterMs: 0,
  lateFrames: 0,
  lossRate: 0,
  srtp: false,
});
