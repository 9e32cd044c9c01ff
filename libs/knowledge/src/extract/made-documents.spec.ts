import { expect, it } from '@jest/globals';
import { describeWithData } from '../../../../test/support/describe-with-data.js';
import { extractedFile } from '../../../../test/support/extracted.js';
import { dataPath } from '../../../../test/support/test-data.js';
import { truthOf } from '../../../../test/support/truth.js';
import type { Extract } from './extract.js';
import { extractDoc } from './doc.js';
import { extractDocx } from './docx.js';

const NAMES = ['en', 'de', 'ru', 'zh'].flatMap((language) => [`${language}_one`, `${language}_two`]);
const FORMATS: [string, Extract][] = [
  ['docx', extractDocx],
  ['doc', extractDoc],
];

describeWithData('documents written by an office program', () => {
  it.each(FORMATS.flatMap(([type, extract]) => NAMES.map((name) => ({ type, name, extract }))))(
    '$name.$type has every heading, paragraph, list item and row in order',
    async ({ type, name, extract }) => {
      const { lines } = await extractedFile(extract, dataPath('documents', 'made', `${name}.${type}`));
      const found = lines.map((line) => line.replace(/\s+/g, ' ').replace(/^p - /, 'p '));
      expect(found).toEqual(truthOf(name));
    },
  );
});
