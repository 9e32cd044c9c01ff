import { expect, it } from '@jest/globals';
import { csvLine } from './csv-line.js';

it.each([
  [['a', 'b c', ''], 'a,b c,'],
  [[1, 0.5, -3, true, null, undefined], '1,0.5,-3,true,,'],
  [['say "hi"', 'a,b', 'two\nlines'], '"say ""hi""","a,b","two\nlines"'],
  [['a;b', 'a\tb', ' a'], '"a;b","a\tb"," a"'],
  [['=1+1', '@x', '-x', '\t1'], `'=1+1,'@x,'-x,"'\t1"`],
  [['+12025550100', '-5.5', '+1303*'], '+12025550100,-5.5,+1303*'],
  [['+1+1', '+1303*2'], `'+1+1,'+1303*2`],
])('the cells %j are written as %s', (cells, line) => {
  expect(csvLine(cells)).toBe(`${line}\r\n`);
  expect(csvLine(cells, '\n')).toBe(`${line}\n`);
});
