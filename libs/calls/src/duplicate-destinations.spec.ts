import { describe, expect, it } from '@jest/globals';
import { type Destination, readDestination } from './destination.js';
import { duplicatesIn } from './duplicate-destinations.js';

const read = (text: string): Destination => {
  const destination = readDestination(text);
  if (destination.kind === 'wrong') throw new Error(text);
  return destination;
};

describe('a destination that is named twice', () => {
  it.each<[string[], [number, number][]]>([
    [['+15550001111', '+15550002222'], []],
    [
      ['+1 (555) 000-1111', '+15550002222', '+15550001111', '+1-555-000-1111'],
      [
        [2, 0],
        [3, 0],
      ],
    ],
    [
      ['sip:a@pbx.example.com', 'sip:a@PBX.example.com.', 'SIP:a@pbx.example.com'],
      [
        [1, 0],
        [2, 0],
      ],
    ],
    [['sip:a@pbx.example.com', 'sip:A@pbx.example.com', 'sip:a@pbx.example.com:5060'], []],
    [['sip:a@h.example;transport=tcp;user=phone', 'sip:a@h.example;user=phone;transport=TCP'], [[1, 0]]],
    [['sip:a@h.example;transport=tcp', 'sip:a@h.example'], []],
    [
      ['sip:%61b@h.example', 'sip:ab@h.example', 'sip:a%2fb@h.example', 'sip:a%2Fb@h.example'],
      [
        [1, 0],
        [3, 2],
      ],
    ],
    [['sip:+15550001111@h.example', '+15550001111'], []],
  ])('is found by its index: %j', (texts, expected) => {
    expect(duplicatesIn(texts.map(read))).toEqual(expected);
  });
});
