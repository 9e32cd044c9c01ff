import { describe, expect, it } from '@jest/globals';
import { zipFile } from '../../../../test/support/zip-file.js';
import { ZipParts } from './zip-parts.js';

describe('the parts of a ZIP file', () => {
  it('are read by name, however the folders are separated', async () => {
    const zip = await ZipParts.open(zipFile([{ name: '\\word\\document.xml', content: 'text' }]));
    expect(zip.names).toEqual(['word/document.xml']);
    expect((await zip.read('word/document.xml')).toString()).toBe('text');
  });

  it('are never inflated beyond what the directory declares', async () => {
    const zip = await ZipParts.open(zipFile([{ name: 'liar', content: 'x'.repeat(50_000_000), declaredSize: 100 }]));
    await expect(zip.read('liar')).rejects.toMatchObject({ code: 'FILE_CORRUPT' });
  });

  it('are damaged when they are shorter than declared, and missing when they are not there', async () => {
    const zip = await ZipParts.open(zipFile([{ name: 'short', content: 'x', declaredSize: 100 }]));
    await expect(zip.read('short')).rejects.toMatchObject({ code: 'FILE_CORRUPT' });
    await expect(zip.read('other')).rejects.toMatchObject({ code: 'FILE_CORRUPT' });
  });
});
