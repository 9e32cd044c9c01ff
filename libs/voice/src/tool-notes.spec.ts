import { expect, it } from '@jest/globals';
import { pendingNote, resultIn, resultNote } from './tool-notes.js';

const call = { name: 'track_parcel', arguments: '{"n":4711}' };

it('the result of a tool is read back from the note about it', () => {
  expect(resultIn(resultNote(call, '{"city":"Bonn"}'))).toEqual({ tool: 'track_parcel', output: '{"city":"Bonn"}' });
});

it.each([pendingNote(call), 'The call ends in 30 seconds.', ''])('%j is no result', (note) => {
  expect(resultIn(note)).toBeUndefined();
});
