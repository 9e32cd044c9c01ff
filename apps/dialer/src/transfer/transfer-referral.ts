import type { DialTrunk } from '@app/accounts';
import type { CallLeg, LegEnd, TransferProgress } from '@app/telephony';
import { isIPv6 } from 'node:net';

/** The Refer-To of a SIP URI, or of a number: a user at the carrier's domain, or at the host and port of the trunk's target. */
export function referTo(number: string, trunk: Pick<DialTrunk, 'from_domain' | 'host' | 'port'>): string {
  if (!number.startsWith('+')) return number;
  const port = trunk.port === null ? '' : `:${trunk.port}`;
  const host = isIPv6(trunk.host) ? `[${trunk.host}]` : trunk.host;
  return `sip:${number}@${trunk.from_domain ?? `${host}${port}`};user=phone`;
}

/**
 * Sends a REFER to `to` and waits for its result. @returns the final SIP status of that call or of the refusal; 200 when the remote
 * party hangs up without a last report, as many carriers do after a success; undefined without a result in time.
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
