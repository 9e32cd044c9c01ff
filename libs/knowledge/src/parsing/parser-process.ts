import { once } from 'node:events';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { DocumentProblem } from '../extract/document-problem.js';
import {
  DOCUMENT_CHARACTERS,
  type FromParser,
  PARSE_RSS_BYTES,
  type ParseFacts,
  type ParseInput,
  type ToParser,
} from './parser-protocol.js';
import { ChunkOutbox } from './chunk-outbox.js';
import type { Block, Chunk } from '../blocks.js';
import { Chunker } from '../chunk/chunker.js';
import { type TextMeasures, TextMeter } from '../chunk/text-meter.js';
import { type DocumentFacts, type DocumentType, extractorOf } from '../extract/document-formats.js';
import type { CrawledPage, PageHead } from '../extract/html/page-links.js';
import { sniff } from '../extract/sniff.js';
import { typeOfContent } from '../extract/type-of-content.js';
import { CHUNKS_PER_KNOWLEDGE_BASE } from '../limits.js';
import { countWords } from '../chunk/text-measures.js';

/** Entry point of the child process: parses documents for its parent, one after the other. The parent ends it. */
process.once('disconnect', () => process.exit());
// Calls and requests have priority on a busy machine: a document may take some seconds longer.
setPriority(10);
/** Of the document in work. */
let outbox = new ChunkOutbox(send);
let watchdog: Promise<void> | undefined;
process.on('message', (message: ToParser) => {
  if (message.type === 'more') outbox.more();
  else void read(message.input);
});

async function read(input: ParseInput): Promise<void> {
  try {
    send({ type: 'begun' });
    // What is left of a refused document has no effect on the next one.
    const own: ChunkOutbox = new ChunkOutbox((message) => void (outbox === own && send(message)));
    outbox = own;
    await (watchdog ??= watchMemory());
    const { facts, meter, unreadable } = await parseDocument(input, {
      head: (head) => send({ type: 'head', head }),
      chunks: (chunks) => own.add(chunks),
      progress: (fraction) => (own.fraction = fraction),
    });
    send({ type: 'parsed' });
    const [measures] = await Promise.all([meter.measures(unreadable), own.finish()]);
    send({ type: 'done', facts: { ...facts, ...measures }, rssBytes: process.memoryUsage.rss() });
  } catch (error) {
    send(failure(error));
  }
}

async function watchMemory(): Promise<void> {
  const thread = new Worker(new URL('./memory-watchdog.js', import.meta.url), {
    workerData: { rssBytes: PARSE_RSS_BYTES, parent: process.ppid },
  });
  thread.unref();
  await once(thread, 'online');
}

function send(message: FromParser): void {
  process.send?.(message);
}

/** Errors of a parser are caused by the file, unless the file could not be opened. */
function failure(error: unknown): FromParser {
  if (error instanceof DocumentProblem) {
    const { code, sentence } = error;
    // A parser may not be in order after a file that confused it.
    const isRefused = code !== 'FILE_CORRUPT';
    return { type: 'failed', code, sentence, ...(isRefused && { rssBytes: process.memoryUsage.rss() }) };
  }
  const ours = error instanceof Error && 'syscall' in error;
  return { type: 'failed', code: ours ? 'PARSE_FAILED' : 'FILE_CORRUPT', trace: traceOf(error) };
}

/** Error name and stack positions; the message is left out because it may quote the document. */
function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const places = error.stack?.match(/^ {4}at .*/gm) ?? [];
  return [error.name, ...places.slice(0, 8)].join('\n');
}

interface ParseConsumer {
  head(head: PageHead): void;
  chunks(chunks: Chunk[]): void;
  /** Share of the document read so far. */
  progress(fraction: number): void;
}

interface ParsedDocument {
  facts: Omit<ParseFacts, keyof TextMeasures>;
  /** Has measured its passages. */
  meter: TextMeter;
  unreadable?: number;
}

/** Sniffs, extracts, chunks and counts a document. Throws a DocumentProblem, also if the document exceeds a limit. */
async function parseDocument(input: ParseInput, consumer: ParseConsumer): Promise<ParsedDocument> {
  const type = await (typeof input.type === 'string'
    ? sniff(input.path, input.type)
    : typeOfContent(input.path, input.type));
  const head = input.page && (await headOf(input, input.page, type));
  if (head) consumer.head(head);
  if (head?.noindex) return { facts: { type, words: 0, characters: 0, chunks: 0 }, meter: new TextMeter() };
  const extract = await extractorOf(type);
  const reading = new DocumentChunks(consumer, head?.title);
  const facts = await extract(input.path, (block) => reading.take(block), {
    charset: input.charset,
    onProgress: (fraction) => consumer.progress(fraction),
  });
  return reading.end(type, facts);
}

async function headOf(input: ParseInput, page: CrawledPage, type: DocumentType): Promise<PageHead> {
  const { pageHead, readPageHead } = await import('../extract/html/page-links.js');
  return type === 'html' ? readPageHead(input.path, page, input.charset) : pageHead('', page);
}

/** Turns blocks into chunks and counts both. */
class DocumentChunks {
  private readonly chunker = new Chunker();
  readonly meter = new TextMeter();
  private words = 0;
  private characters = 0;
  private chunks = 0;
  /** Kept, because the parser may swallow the exception. */
  private problem: DocumentProblem | undefined;

  /** `title`: the first heading of each chunk, unless the document itself begins with it. */
  constructor(
    private readonly consumer: ParseConsumer,
    private readonly title?: string,
  ) {}

  take(block: Block): void {
    if (this.problem) throw this.problem;
    const text = block.kind === 'row' ? block.cells.join(' ') : block.text;
    this.characters += text.length;
    if (this.characters > DOCUMENT_CHARACTERS) throw this.refuse('TOO_MUCH_TEXT');
    this.words += countWords(text);
    this.forward(this.chunker.add(block));
  }

  end(type: DocumentType, facts: DocumentFacts): ParsedDocument {
    if (this.problem) throw this.problem;
    this.forward(this.chunker.end());
    // Text without a word (three million brackets) is empty, too.
    if (this.words === 0) throw new DocumentProblem('EMPTY');
    const { words, characters, chunks, meter } = this;
    return { facts: { ...facts, type, words, characters, chunks }, meter, unreadable: facts.unreadable };
  }

  private forward(chunks: Chunk[]): void {
    this.chunks += chunks.length;
    if (this.chunks > CHUNKS_PER_KNOWLEDGE_BASE) throw this.refuse('TOO_MANY_CHUNKS');
    for (const { text } of chunks) this.meter.add(text);
    if (chunks.length > 0) this.consumer.chunks(this.title === undefined ? chunks : chunks.map(below(this.title)));
  }

  private refuse(code: 'TOO_MUCH_TEXT' | 'TOO_MANY_CHUNKS'): DocumentProblem {
    return (this.problem = new DocumentProblem(code));
  }
}

const below =
  (title: string) =>
  (chunk: Chunk): Chunk =>
    chunk.headingPath[0] === title ? chunk : { ...chunk, headingPath: [title, ...chunk.headingPath] };
