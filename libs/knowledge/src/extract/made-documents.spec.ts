import { describe, expect, it } from '@jest/globals';
import { extractFile } from '../../../../test/support/extracted.js';
import { documentPath, OFFICE_FOLDERS, OFFICE_NAMES } from '../../../../test/support/test-data.js';
import { truthLines } from '../../../../test/support/truth.js';
import type { Extract } from './document-formats.js';
import { extractDoc } from './word/doc.js';
import { extractDocx } from './word/docx.js';

const FORMATS: [string, Extract][] = [
  ['docx', extractDocx],
  ['doc', extractDoc],
];

describe.each(OFFICE_FOLDERS)('documents created by an office program (%s)', (folder) => {
  it.each(FORMATS.flatMap(([type, extract]) => OFFICE_NAMES.map((name) => ({ type, name, extract }))))(
    '$name.$type has every heading, paragraph, list item and row in order',
    async ({ type, name, extract }) => {
      const { lines } = await extractFile(extract, documentPath(`${folder}/${name}.${type}`));
      const found = lines.map((line) => line.replace(/\s+/g, ' ').replace(/^p - /, 'p '));
      expect(found).toEqual(truthLines(folder, name));
    },
  );
});
