import type { CampaignPacing, NumberRotation } from './campaign.js';

/** A displayed number of a campaign. */
export interface PoolNumber {
  id: number;
  e164: string;
}

/** The calls of an account, and of the trunk of a campaign. */
export interface CallRoom {
  /** Concurrent calls that the account may have. */
  limit: number;
  /** Calls that a dialer has claimed, and calls that a dialer may claim. */
  live: number;
  queued: number;
  /** Calls that the trunk can carry in addition; null: it has no limit. */
  trunkFree: number | null;
  /** Running campaigns of the account, which share what is free. */
  campaigns: number;
}

interface PacedCampaign {
  pacing: CampaignPacing;
  resumedAt: Date | null;
  nextCallAt: Date | null;
  /** Its contacts that are being called. */
  calling: number;
}

interface ReleasePlan {
  /** Calls that may be created now. */
  calls: number;
  /** Milliseconds until the calls per second allow the next one. */
  waitMs: number;
}

/** An unused allowance of calls per second is kept for this time. */
const BURST_MS = 1_000;

/** How many calls of a campaign may be created now. Not more are created than may run: a queued call could miss its window. */
export function planRelease(campaign: PacedCampaign, room: CallRoom, now: Date): ReleasePlan {
  const { rate, from } = paceOf(campaign, now);
  const allowed = rate === null ? Infinity : Math.floor(((now.getTime() - from) * rate) / 1_000) + 1;
  if (allowed < 1) return { calls: 0, waitMs: from - now.getTime() };
  const free = Math.min(freeOfCampaign(campaign, room, now), freeOfAccount(campaign.pacing, room));
  return { calls: Math.max(0, Math.min(allowed, free, room.trunkFree ?? Infinity)), waitMs: 0 };
}

/** The earliest next call after `calls` were created; null: at once. */
export function nextCallAfter(campaign: PacedCampaign, calls: number, now: Date): Date | null {
  const { rate, from } = paceOf(campaign, now);
  // Rounded up: a Date has whole milliseconds, and the calls per second are a limit.
  return rate === null ? null : new Date(Math.ceil(from + (calls * 1_000) / rate));
}

function paceOf({ pacing, nextCallAt }: PacedCampaign, now: Date): { rate: number | null; from: number } {
  const from = Math.max(nextCallAt?.getTime() ?? now.getTime(), now.getTime() - BURST_MS);
  return { rate: pacing.calls_per_second, from };
}

/** Calls that the account leaves to campaigns. One call is always possible. */
const shareOf = ({ reserve_percent: percent }: CampaignPacing, { limit }: CallRoom): number =>
  Math.max(1, limit - Math.floor((limit * percent) / 100));

function freeOfCampaign({ pacing, resumedAt, calling }: PacedCampaign, room: CallRoom, now: Date): number {
  const limit = Math.min(pacing.concurrent_calls ?? Infinity, shareOf(pacing, room));
  const { ramp_up_seconds: seconds } = pacing;
  const elapsed = resumedAt ? (now.getTime() - resumedAt.getTime()) / 1_000 : 0;
  const ramped = elapsed < seconds ? Math.max(1, Math.floor((limit * elapsed) / seconds)) : limit;
  return ramped - calling;
}

const freeOfAccount = (pacing: CampaignPacing, room: CallRoom): number =>
  Math.ceil((shareOf(pacing, room) - room.live - room.queued) / Math.max(1, room.campaigns));

/**
 * The displayed number of a call: the next one in turn, or the one with the longest common prefix, in turn among equals. `numbers` is not
 * empty; `attempt` counts the calls of the campaign.
 */
export function pickNumber(
  rotation: NumberRotation,
  numbers: readonly PoolNumber[],
  attempt: number,
  toNumber: string,
): PoolNumber {
  const candidates = rotation === 'nearest_prefix' ? nearest(numbers, toNumber) : numbers;
  return candidates[attempt % candidates.length]!;
}

function nearest(numbers: readonly PoolNumber[], toNumber: string): readonly PoolNumber[] {
  const number = toNumber.replace(/^sip:/i, '');
  const lengths = numbers.map(({ e164 }) => commonPrefix(e164, number));
  const longest = Math.max(...lengths);
  return numbers.filter((_, index) => lengths[index] === longest);
}

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Whether too many of the last attempts failed. `results`: see `CampaignEntity.recentResults`. */
export function isBroken(breaker: CampaignPacing['breaker'], results: string): boolean {
  if (!breaker || results.length < breaker.calls) return false;
  const last = results.slice(-breaker.calls);
  const failed = last.length - last.replaceAll('f', '').length;
  return failed * 100 >= breaker.failure_percent * breaker.calls;
}
