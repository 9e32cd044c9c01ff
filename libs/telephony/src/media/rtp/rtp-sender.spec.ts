import { expect, it } from '@jest/globals';
import { RtpSender } from './rtp-sender.js';

it('counts the packets that have left, asks for one outcome per second, and for each one while packets are refused', () => {
  let [asked, refusal]: [number, Error | null] = [0, null];
  const sender = new RtpSender((_packet, _length, outcome) => {
    if (outcome) asked++;
    outcome?.(refusal);
  });
  const second = (): number[] => {
    asked = 0;
    for (let frame = 0; frame < 50; frame++) sender.sendAudio(0);
    return [sender.sent, asked];
  };
  expect(second()).toEqual([50, 1]);
  refusal = new Error('EHOSTUNREACH');
  expect(second()).toEqual([50, 50]);
  refusal = null;
  expect(second()).toEqual([100, 1]);
});
