import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { byteOrderMark, utf16Of } from '@app/common/text-files';
import { Parser } from 'htmlparser2';
import { DocumentProblem } from '../extract/document-problem.js';

interface Sitemap {
  pages: URL[];
  /** The sitemaps of an index. */
  sitemaps: URL[];
}

/** The URL of an address; undefined if it is not wanted. */
type Accept = (address: string, isIndex: boolean) => URL | undefined;

/** Of the protocol (sitemaps.org): 50 MB and 50,000 addresses. */
const EXPANDED_BYTES = 50 * 1024 * 1024;
const HEAD_BYTES = 4_096;
const GZIP = Buffer.from([0x1f, 0x8b]);
const ROOT = /^\W{0,8}(?:<\?xml[^>]*>\s*|<\?[^>]*>\s*|<!--[\s\S]*?-->\s*)*<(?:\w+:)?(?:urlset|sitemapindex)\b/i;

/** Whether a file is a sitemap or an index of sitemaps, compressed or not. */
export async function isSitemap(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    return ROOT.test((isGzip(head) ? await inflate(head) : head).toString('latin1').replaceAll('\0', ''));
  } finally {
    await file.close();
  }
}

const isGzip = (head: Buffer): boolean => head.subarray(0, 2).equals(GZIP);

/** The beginning of a gzip file, as far as its first bytes reach. */
async function inflate(head: Buffer): Promise<Buffer> {
  const gunzip = createGunzip();
  const pieces: Buffer[] = [];
  gunzip.on('data', (piece: Buffer) => void pieces.push(piece));
  gunzip.write(head);
  await new Promise<void>((resolve) => gunzip.on('error', () => resolve()).flush(() => resolve()));
  gunzip.destroy();
  return Buffer.concat(pieces).subarray(0, HEAD_BYTES);
}

/**
 * The accepted addresses of a sitemap, at most `most`; further ones are ignored. Reads piece by piece. Throws FILE_CORRUPT for a damaged
 * archive and TOO_LARGE_EXPANDED.
 */
export async function readSitemap(path: string, most: number, accept: Accept): Promise<Sitemap> {
  const sitemap: Sitemap = { pages: [], sitemaps: [] };
  const parser = locationParser((isIndex, address) => {
    if (sitemap.pages.length + sitemap.sitemaps.length >= most) return;
    const url = accept(address, isIndex);
    if (url) sitemap[isIndex ? 'sitemaps' : 'pages'].push(url);
  });
  const zipped = await startsWithGzip(path);
  let bytes = 0;
  try {
    await pipeline(createReadStream(path), zipped ? createGunzip() : new PassThrough(), async (pieces) => {
      let decoder: InstanceType<typeof TextDecoder> | undefined;
      for await (const piece of pieces as AsyncIterable<Buffer>) {
        decoder ??= new TextDecoder(charsetOf(piece));
        bytes += piece.length;
        if (bytes > EXPANDED_BYTES)
          throw new DocumentProblem('TOO_LARGE_EXPANDED', 'The sitemap is larger than 50 MB.');
        parser.write(decoder.decode(piece, { stream: true }));
      }
    });
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('Z_')) throw new DocumentProblem('FILE_CORRUPT');
    throw error;
  }
  parser.end();
  return sitemap;
}

/** XML without a declaration is UTF-8 or UTF-16 (XML 1.0, 4.3.3); other declared encodings are those of web pages. */
function charsetOf(start: Buffer): string {
  const wide = utf16Of(start);
  const marked = byteOrderMark(start) ?? wide;
  if (marked) return marked;
  const declared = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(
    start.toString('latin1', 0, HEAD_BYTES),
  )?.[1];
  try {
    return new TextDecoder(declared).encoding;
  } catch {
    // An unknown name: the addresses of a sitemap are ASCII in every encoding left.
    return 'utf-8';
  }
}

async function startsWithGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    return isGzip((await file.read(Buffer.alloc(2), 0, 2, 0)).buffer);
  } finally {
    await file.close();
  }
}

/** Calls `take` with each `loc` of a `url` or `sitemap` element, in any namespace; `image:loc` and `video:loc` are not pages. */
function locationParser(take: (isIndex: boolean, address: string) => void): Parser {
  const path: string[] = [];
  let address = '';
  return new Parser(
    {
      onopentag: (name) => void path.push(localName(name)),
      ontext: (text) => {
        if (path.at(-1) === 'loc') address += text;
      },
      onclosetag: (name) => {
        const parent = path.at(-2);
        path.pop();
        if (localName(name) !== 'loc') return;
        if ((parent === 'url' || parent === 'sitemap') && address.trim() !== '')
          take(parent === 'sitemap', address.trim());
        address = '';
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();
