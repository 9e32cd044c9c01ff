import { expect, it } from '@jest/globals';
import { suiteWith } from './suite-with.js';

/** Run by test/rules/suite-with.spec.ts in a separate Jest, which reports one passed and five skipped tests. */
const hasProgram = (program: string): boolean => program === 'node';

suiteWith(['node'], hasProgram)('a call by node', () => {
  it('is made', () => expect(hasProgram('node')).toBe(true));
});

suiteWith(['node', 'phone'], hasProgram).each(['udp', 'tcp'])('a call over %s', (transport) => {
  it('is answered', () => expect(transport).toBe('not run'));
  it('is ended', () => expect(transport).toBe('not run'));
});

suiteWith(['phone', 'proxy'], hasProgram)('a call through a proxy', () => {
  it('is forwarded', () => expect(true).toBe(false));
});
