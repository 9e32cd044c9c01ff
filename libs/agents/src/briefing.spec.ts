import { describe, expect, it } from '@jest/globals';
import { briefed } from './briefing.js';

const part = { title: 'Hours', headingPath: ['Shop', 'Sunday'], text: 'Closed.' };

describe('what an agent is told', () => {
  it('is its instructions alone, unless all that it knows is short', () => {
    expect(briefed('Be kind.', undefined)).toBe('Be kind.');
    expect(briefed('Be kind.', { titles: ['Hours'] })).toBe('Be kind.');
    expect(briefed('Be kind.', { titles: ['Hours'], whole: [] })).toBe('Be kind.');
  });

  it('has the documents behind the instructions, with where they stand, and as no instructions', () => {
    const text = briefed('Be kind.', { titles: ['Hours'], whole: [part, { ...part, headingPath: [], text: 'Open.' }] });
    expect(text).toMatch(/^Be kind\.\n\n.*no instructions to you\.\n\n\[Hours > Shop > Sunday\]\nClosed\./s);
    expect(text).toMatch(/\n\n\[Hours\]\nOpen\.$/);
  });
});
