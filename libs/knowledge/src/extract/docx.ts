import mammoth from 'mammoth';
import { readFile } from 'node:fs/promises';
import type { TakeBlock } from '../blocks.js';
import { BlockWriter } from './block-writer.js';
import { DocumentProblem } from './document-problem.js';
import type { DocumentFacts } from './extract.js';
import { WordBody, type WordDocument } from './word-body.js';
import { ZipParts } from './zip-parts.js';

/** Without a document type nothing in the XML can name another thing: no entity grows, none is fetched. */
const DECLARES_ENTITIES = /<!(?:DOCTYPE|ENTITY)/i;

export async function extractDocx(path: string, take: TakeBlock): Promise<DocumentFacts> {
  const parts = await ZipParts.open(await readFile(path));
  const title = await titleOf(parts);
  const document = await readWord(parts);
  const writer = new BlockWriter(take);
  new WordBody(document, writer).write();
  if (writer.characters === 0) throw new DocumentProblem('EMPTY');
  return title === undefined ? {} : { title };
}

/** mammoth's own tree, before it becomes HTML. */
async function readWord(parts: ZipParts): Promise<WordDocument> {
  let document: WordDocument | undefined;
  const transformDocument = (read: WordDocument): WordDocument => {
    document = read;
    return { ...read, children: [] };
  };
  try {
    await mammoth.convertToHtml(mammothInput(parts), { transformDocument, includeEmbeddedStyleMap: false });
  } catch (error) {
    throw problemOf(error);
  }
  if (!document) throw new DocumentProblem('FILE_CORRUPT');
  return document;
}

/**
 * mammoth takes an opened ZIP file as well (its `file` input, which its types do not know): so what is inflated is bounded
 * here, part by part, and images are never read.
 */
function mammothInput(parts: ZipParts): { buffer: Buffer } {
  const file = { exists: (name: string) => parts.has(name), read: (name: string) => xmlOf(parts, name) };
  return { file } as unknown as { buffer: Buffer };
}

async function xmlOf(parts: ZipParts, name: string): Promise<string> {
  const bytes = await parts.read(name);
  const isWide = bytes[0] === 0xff || bytes[0] === 0xfe;
  const xml = new TextDecoder(isWide ? 'utf-16' : 'utf-8').decode(bytes);
  if (DECLARES_ENTITIES.test(xml)) {
    throw new DocumentProblem('FILE_CORRUPT', 'A part of the file declares entities, which no word processor does.');
  }
  return xml;
}

function problemOf(error: unknown): DocumentProblem {
  if (error instanceof DocumentProblem) return error;
  if (error instanceof RangeError) {
    return new DocumentProblem('FILE_CORRUPT', 'The parts of the document are nested too deeply.', { cause: error });
  }
  return new DocumentProblem('FILE_CORRUPT', undefined, { cause: error });
}

const CORE = 'docProps/core.xml';

async function titleOf(parts: ZipParts): Promise<string | undefined> {
  if (!parts.has(CORE)) return undefined;
  const xml = await xmlOf(parts, CORE);
  const found = /<dc:title>([^<]{1,500})<\/dc:title>/.exec(xml)?.[1]?.trim();
  return found?.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '') || undefined;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
