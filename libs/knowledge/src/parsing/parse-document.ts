import type { Block, Chunk } from '../blocks.js';
import { Chunker } from '../chunk/chunker.js';
import { DocumentProblem } from '../extract/document-problem.js';
import { type DocumentType, extractorOf } from '../extract/document-formats.js';
import type { DocumentFacts } from '../extract/extract.js';
import { sniff } from '../extract/sniff.js';
import { CHUNKS_PER_KNOWLEDGE_BASE } from '../limits.js';
import { countWords } from './count-words.js';
import { DOCUMENT_CHARACTERS, type ParseFacts, type ParseInput } from './parser-protocol.js';

interface ParseConsumer {
  chunks(chunks: Chunk[]): void;
  /** The share of the document that has been read. */
  progress(fraction: number): void;
}

/** Sniffs, extracts, chunks and counts a document in this process. Throws a DocumentProblem, also where it exceeds a limit. */
export async function parseDocument(input: ParseInput, taker: ParseConsumer): Promise<ParseFacts> {
  const type = await sniff(input.path, input.type);
  const extract = await extractorOf(type);
  const reading = new DocumentChunks(taker);
  const facts = await extract(input.path, (block) => reading.take(block), {
    charset: input.charset,
    onProgress: (fraction) => taker.progress(fraction),
  });
  return reading.end(type, facts);
}

/** Blocks on their way to chunks, counted. */
class DocumentChunks {
  private readonly chunker = new Chunker();
  private words = 0;
  private characters = 0;
  private chunks = 0;
  /** Thrown through the parser, which may swallow it. */
  private problem: DocumentProblem | undefined;

  constructor(private readonly taker: ParseConsumer) {}

  take(block: Block): void {
    if (this.problem) throw this.problem;
    const text = block.kind === 'row' ? block.cells.join(' ') : block.text;
    this.characters += text.length;
    if (this.characters > DOCUMENT_CHARACTERS) throw this.refuse('TOO_MUCH_TEXT');
    this.words += countWords(text);
    this.pass(this.chunker.add(block));
  }

  end(type: DocumentType, facts: DocumentFacts): ParseFacts {
    if (this.problem) throw this.problem;
    this.pass(this.chunker.end());
    // Three million brackets are no text either.
    if (this.words === 0) throw new DocumentProblem('EMPTY');
    return { ...facts, type, words: this.words, characters: this.characters, chunks: this.chunks };
  }

  private pass(chunks: Chunk[]): void {
    this.chunks += chunks.length;
    if (this.chunks > CHUNKS_PER_KNOWLEDGE_BASE) throw this.refuse('TOO_MANY_CHUNKS');
    if (chunks.length > 0) this.taker.chunks(chunks);
  }

  private refuse(code: 'TOO_MUCH_TEXT' | 'TOO_MANY_CHUNKS'): DocumentProblem {
    return (this.problem = new DocumentProblem(code));
  }
}
