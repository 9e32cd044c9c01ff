import { describe, expect, it } from '@jest/globals';
import { zipFile } from '../../../../../test/support/zip-file.js';
import { ZipParts } from './zip-parts.js';

describe('the parts of a ZIP file', () => {
  it('are read by name with any folder separator', async () => {
    const zip = await ZipParts.open(zipFile([{ name: '\\word\\document.xml', content: 'text' }]));
    expect(zip.names).toEqual(['word/document.xml']);
    expect((await zip.read('word/document.xml')).toString()).toBe('text');
  });

  it('are never inflated beyond the size in the directory', async () => {
    const zip = await ZipParts.open(zipFile([{ name: 'liar', content: 'x'.repeat(50_000_000), declaredSize: 100 }]));
    await expect(zip.read('liar')).rejects.toMatchObject({ code: 'FILE_CORRUPT' });
  });

  it('are reported as damaged if shorter than declared, and as missing if absent', async () => {
    const zip = await ZipParts.open(zipFile([{ name: 'short', content: 'x', declaredSize: 100 }]));
    await expect(zip.read('short')).rejects.toMatchObject({ code: 'FILE_CORRUPT' });
    await expect(zip.read('other')).rejects.toMatchObject({ code: 'FILE_CORRUPT' });
  });
});
