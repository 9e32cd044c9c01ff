import { expect, it } from '@jest/globals';
import { keysIn, keysPressed, sayExactly, wordsToSay, pendingNote, resultIn, resultNote } from './realtime-wording.js';

it.each(['Hello.', 'She said "no".\nTwice.', ''])('%j is asked for and read back', (words) => {
  expect(wordsToSay(sayExactly(words))).toBe(words);
});

it('takes no other instructions for words to say', () => {
  expect(wordsToSay('Be brief.')).toBeUndefined();
  expect(wordsToSay(sayExactly('cut').slice(0, -1))).toBeUndefined();
});

it('tells keys from words', () => {
  expect(keysIn(keysPressed('12*#'))).toBe('12*#');
  expect(keysIn('12')).toBeUndefined();
  expect(keysIn('[The caller pressed the keys 1] and more')).toBeUndefined();
});

const call = { name: 'track_parcel', arguments: '{"n":4711}' };

it('the result of a tool is read back from the note about it', () => {
  expect(resultIn(resultNote(call, '{"city":"Bonn"}'))).toEqual({ tool: 'track_parcel', output: '{"city":"Bonn"}' });
});

it.each([pendingNote(call), 'The call ends in 30 seconds.', ''])('%j is no result', (note) => {
  expect(resultIn(note)).toBeUndefined();
});
