/**
 * The wait that a Retry-After header of HTTP asks for, in seconds or as a date (RFC 9110 §10.2.3). Undefined without a valid one. Seconds
 * may have a fraction, which some vendors send. The header of SIP has another grammar (libs/telephony).
 */
export function retryAfterMs(header: string | string[] | undefined, now = Date.now()): number | undefined {
  if (typeof header !== 'string') return undefined;
  const value = header.trim();
  // Date.parse reads nearly every text with digits as a date; dates of HTTP end in GMT.
  const isDate = value.endsWith('GMT');
  const ms = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1_000 : isDate ? Date.parse(value) - now : Number.NaN;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
