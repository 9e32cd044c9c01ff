import { expect, it } from '@jest/globals';
import { publicReason } from './public-reason.js';

it.each([
  ['a key', 'Incorrect API key provided: sk-proj-abc123def456.', 'Incorrect API key provided: ….'],
  ['a masked key', 'Incorrect API key provided: sk-proj-****9f3A.', 'Incorrect API key provided: ….'],
  ['a key without a prefix', `Invalid token ${'0123456789abcdef'.repeat(2)}`, 'Invalid token …'],
  ['a header', 'Refused: "Authorization: Bearer eyJhbGci.eyJz"', 'Refused: "Authorization: …'],
  ['an organisation', 'Rate limit of org-a1B2c3D4e5F6 reached.', 'Rate limit of … reached.'],
  ['an address', 'No quota for ada.lovelace@example.com.', 'No quota for ….'],
  ['a telephone number', 'Refused "call +49 30 123456-78 now"', 'Refused "call … now"'],
  ['a national number', 'Refused "call 030 12345678 now"', 'Refused "call … now"'],
])('the reason of a failure has no %s', (_what, said, shown) => {
  expect(publicReason(said)).toBe(shown);
});

it.each([
  'The server of openai-realtime has no such address or model (HTTP 404): gpt-4o-realtime-preview-2024-12-17 does not exist.',
  'The voice provider openai-live needs OPENAI_API_KEY.',
  'The server of gemini-live cannot be reached (ECONNREFUSED).',
])('but it says what failed: %s', (said) => {
  expect(publicReason(said)).toBe(said);
});

it('is short', () => expect(publicReason('a b '.repeat(500))).toHaveLength(400));
