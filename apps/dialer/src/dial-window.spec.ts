import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WEEKDAYS } from '@app/common/time-windows';
import { checkWindow } from './dial-window.js';

const call = { id: 'c', owner: 'd' };
const office = { windows: [{ days: [...WEEKDAYS], from: '09:00', to: '17:00' }], time_zones: ['UTC'] };

describe('before its INVITE a call', () => {
  const postponed: Date[] = [];
  const records = {
    postpone: (_: object, until: Date) => {
      postponed.push(until);
      return Promise.resolve(true);
    },
  };
  const check = (
    schedule: object | undefined,
    campaignId: number | null = null,
    signal = new AbortController().signal,
  ) => checkWindow(records, call, { settings: schedule ? { schedule } : {}, campaign_id: campaignId }, signal);

  beforeEach(() => {
    postponed.length = 0;
    jest.useFakeTimers({ now: new Date('2026-11-23T17:00:00Z'), doNotFake: ['nextTick', 'setImmediate'] });
  });
  afterEach(() => void jest.useRealTimers());

  it('without a schedule is dialled', async () => expect(await check(undefined)).toBe('open'));

  it('within its window is dialled', async () => {
    jest.setSystemTime(new Date('2026-11-23T16:59:59.999Z'));
    expect(await check(office)).toBe('open');
  });

  it('whose window has closed returns to the queue until it opens', async () => {
    expect(await check(office)).toBe('postponed');
    expect(postponed).toEqual([new Date('2026-11-24T09:00:00Z')]);
  });

  it('of a campaign ends when its window has closed', async () => {
    expect(await check(office, 7)).toBe('closed');
    expect(postponed).toEqual([]);
  });

  it('ends when no window is left', async () => {
    const never = { ...office, windows: [{ days: [...WEEKDAYS], from: '09:00', to: '10:00' }] };
    expect(await check({ ...never, time_zones: ['UTC', 'Asia/Tokyo'] })).toBe('closed');
  });

  it('that was cancelled meanwhile is left to the decision about its cancellation', async () => {
    const gone = { postpone: () => Promise.resolve(false) };
    const scheduled = { settings: { schedule: office }, campaign_id: null };
    expect(await checkWindow(gone, call, scheduled, new AbortController().signal)).toBe('open');
    expect(await check(office, null, AbortSignal.abort())).toBe('open');
    expect(postponed).toEqual([]);
  });
});
