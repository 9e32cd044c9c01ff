import type { DialTrunk } from '@app/accounts';
import { isIPv6 } from 'node:net';
import type { CallLeg, LegEnd, TransferProgress } from '@app/telephony';

/** The Refer-To of a number: a user of the carrier's, at its domain, or at the host and port where the trunk reaches it. */
export function referTo(number: string, trunk: Pick<DialTrunk, 'from_domain' | 'host' | 'port'>): string {
  const port = trunk.port === null ? '' : `:${trunk.port}`;
  const host = isIPv6(trunk.host) ? `[${trunk.host}]` : trunk.host;
  return `sip:${number}@${trunk.from_domain ?? `${host}${port}`};user=phone`;
}

/**
 * Asks the far end to call `to`, and waits for how that goes.
 * @returns the final SIP status of that call, or of the refusal; 200 when the far end leaves us without a last report, which is how
 * many carriers say that it worked; undefined when nothing came of it in time.
 */
export async function referral(leg: CallLeg, to: string, signal: AbortSignal): Promise<number | undefined> {
  const refused = new AbortController();
  const outcome = finalOf(leg, AbortSignal.any([signal, refused.signal]));
  try {
    const { accepted, status } = await leg.refer(to);
    return accepted ? await outcome : status;
  } finally {
    refused.abort();
  }
}

function finalOf(leg: CallLeg, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    const onProgress = ({ status, final }: TransferProgress): void => {
      if (final) settle(status);
    };
    const onEnd = (end: LegEnd): void => settle(end.endedBy === 'callee' || end.endedBy === 'caller' ? 200 : undefined);
    const onAbort = (): void => settle(undefined);
    const settle = (status: number | undefined): void => {
      leg.off('transfer', onProgress);
      leg.off('ended', onEnd);
      signal.removeEventListener('abort', onAbort);
      resolve(status);
    };
    leg.on('transfer', onProgress);
    leg.on('ended', onEnd);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) settle(undefined);
  });
}
