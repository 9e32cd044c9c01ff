import { describe, expect, it } from '@jest/globals';
import { SteppedLine } from '../test/stepped-line.js';
import { DtmfCollector } from './user-input.js';

describe('DTMF input', () => {
  it.each([
    [['1', '2', '#'], 0, ['12']],
    [['1', '2'], 1900, []],
    [['1', '2'], 2000, ['12']],
    [['#'], 0, ['#']],
    [['1', '#', '2', '#'], 0, ['1', '2']],
    [['*', '9'], 2000, ['*9']],
  ])('the keys %j followed by %d ms without a key are the inputs %j', async (keys, quietMs, inputs) => {
    const line = new SteppedLine();
    const heard: string[] = [];
    const collector = new DtmfCollector(line, (digits) => heard.push(digits));
    keys.forEach((key) => collector.press(key));
    await line.run(quietMs);
    expect(heard).toEqual(inputs);
  });

  it('keys that wait for more are dropped when the call ends', async () => {
    const line = new SteppedLine();
    const heard: string[] = [];
    const collector = new DtmfCollector(line, (digits) => heard.push(digits));
    collector.press('1');
    collector.close();
    await line.run(3000);
    expect(heard).toEqual([]);
  });
});
