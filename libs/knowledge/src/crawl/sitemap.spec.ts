import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isSitemap, readSitemap } from './sitemap.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'sitemap-'))));
afterAll(() => rm(folder, { recursive: true }));

const xml = (encoding: string): string =>
  `<?xml version="1.0" encoding="${encoding}"?>\n<urlset><url><loc>https://example.com/größe</loc></url></urlset>`;
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');

it.each<[string, Buffer]>([
  ['UTF-8', Buffer.from(xml('UTF-8'))],
  ['UTF-16 with a byte order mark', wide(`\ufeff${xml('UTF-16')}`)],
  ['UTF-16 with the other order of bytes', wide(`\ufeff${xml('UTF-16')}`).swap16()],
  ['UTF-16 without a mark', wide(xml('UTF-16'))],
  ['Latin-1', Buffer.from(xml('ISO-8859-1'), 'latin1')],
])('the addresses of a sitemap in %s are read', async (_, bytes) => {
  const path = join(folder, 'sitemap.xml');
  await writeFile(path, bytes);
  expect(await isSitemap(path)).toBe(true);
  const { pages } = await readSitemap(path, 10, (address) => new URL(address));
  expect(pages.map(String)).toEqual(['https://example.com/gr%C3%B6%C3%9Fe']);
});

it('an unknown encoding of a sitemap is read as UTF-8', async () => {
  const path = join(folder, 'unknown.xml');
  await writeFile(path, xml('x-nothing'));
  expect((await readSitemap(path, 10, (address) => new URL(address))).pages).toHaveLength(1);
});
