import { describe, expect, it } from '@jest/globals';
import { heldReason } from './refresh-guard.service.js';

const broken = (count: number, question = 'How long?') =>
  Array.from({ length: count }, (_, at) => ({ id: at + 1, agentId: 1, question, reason: 'It is gone.' }));

describe('the reason of a held refresh', () => {
  it('names the tests that would fail', () => {
    expect(heldReason(broken(1))).toBe('1 retrieval test would fail: test 1 "How long?": It is gone.');
    expect(heldReason(broken(2))).toBe(
      '2 retrieval tests would fail: test 1 "How long?": It is gone. test 2 "How long?": It is gone.',
    );
  });

  it('is short although many tests with long questions would fail', () => {
    const reason = heldReason(broken(200, '😀 question\n'.repeat(100)));
    expect(reason).toMatch(/^200 retrieval tests would fail: .* And 195 more\.$/u);
    expect(Array.from(reason).length).toBeLessThan(700);
  });
});
