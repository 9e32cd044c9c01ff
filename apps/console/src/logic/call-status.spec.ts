import { describe, expect, it } from '@jest/globals';
import { shownStatus, statusWords } from './call-status.js';

describe('the status of a call in the console', () => {
  it.each([
    ['completed', 'drained', 'cut_off', 'Cut off: the service was stopped'],
    ['completed', 'normal_clearing', 'completed', 'Completed: normal clearing'],
    ['failed', 'drained', 'failed', 'Failed: drained'],
  ] as const)('%s by %s is shown as %s', (status, cause, shown, text) => {
    expect(shownStatus({ status, hangup_cause: cause, scheduled_for: null })).toBe(shown);
    expect(statusWords(status, cause)).toBe(text);
  });

  it('is the status alone while there is no cause', () => {
    expect(shownStatus({ status: 'in_progress', hangup_cause: null, scheduled_for: null })).toBe('in_progress');
    expect(shownStatus({ status: 'pending', hangup_cause: null, scheduled_for: '2026-12-01T08:00:00Z' })).toBe(
      'scheduled',
    );
    expect(statusWords('in_progress', undefined)).toBe('In progress');
  });
});
