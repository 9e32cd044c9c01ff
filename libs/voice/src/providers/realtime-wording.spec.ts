import { expect, it } from '@jest/globals';
import { keysIn, keysPressed, sayExactly, wordsToSay, pendingNote, resultIn, resultNote } from './realtime-wording.js';

it.each(['Hello.', 'She said "no".\nTwice.', ''])(
  'the words %j survive the round trip through instructions',
  (words) => {
    expect(wordsToSay(sayExactly(words))).toBe(words);
  },
);

it('other instructions contain no words to say', () => {
  expect(wordsToSay('Be brief.')).toBeUndefined();
  expect(wordsToSay(sayExactly('cut').slice(0, -1))).toBeUndefined();
});

it('pressed keys are recognised in a message, other messages are not', () => {
  expect(keysIn(keysPressed('12*#'))).toBe('12*#');
  expect(keysIn('12')).toBeUndefined();
  expect(keysIn('[The caller pressed the keys 1] and more')).toBeUndefined();
});

const call = { name: 'track_parcel', arguments: '{"n":4711}' };

it('the result of a tool is read back from its note', () => {
  expect(resultIn(resultNote(call, '{"city":"Bonn"}'))).toEqual({ tool: 'track_parcel', output: '{"city":"Bonn"}' });
});

it.each([pendingNote(call), 'The call ends in 30 seconds.', ''])('the note %j contains no result', (note) => {
  expect(resultIn(note)).toBeUndefined();
});
