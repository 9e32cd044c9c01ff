import { describe, expect, it } from '@jest/globals';
import { parseDateOrTime } from './field-validators.js';

describe('a date or time', () => {
  it.each([
    ['2026-01-02', 'start', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02', 'end', '2026-01-02T23:59:59.999Z'],
    ['2026-01-02T03:04:05Z', 'end', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05', 'start', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02 03:04', 'start', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02T03:04:05.678901+02:00', 'start', '2026-01-02T01:04:05.678Z'],
    ['2026-01-02T03:04:05 02:00', 'start', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04:05-0230', 'start', '2026-01-02T05:34:05.000Z'],
    ['2024-02-29', 'start', '2024-02-29T00:00:00.000Z'],
  ] as const)('%s (%s of a date) is parsed as %s', (text, edge, iso) =>
    expect(parseDateOrTime(text, edge)?.toISOString()).toBe(iso),
  );

  it.each([
    '',
    'yesterday',
    '2026',
    '2026-1-2',
    '2026-13-01',
    '2026-02-30',
    '2025-02-29T00:00:00Z',
    '2026-01-02T25:00:00Z',
  ])('%j is not a date or time', (text) => expect(parseDateOrTime(text, 'start')).toBeUndefined());
});
