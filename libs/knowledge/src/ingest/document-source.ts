import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Storage } from '@app/storage';
import { Injectable } from '@nestjs/common';
import { DocumentProblem } from '../extract/document-problem.js';
import type { DocumentType } from '../extract/document-formats.js';
import { type FetchedPage, PageFetcher } from '../fetch/fetch-page.js';
import { FILE_BYTES } from '../limits.js';
import type { ClaimedDocument } from './document-claims.repository.js';

/** A document in a local file, ready to be read. */
export interface Source {
  type: DocumentType;
  charset?: string;
  bytes: number;
  /** Of a URL: what shows next time whether it changed. */
  page?: Pick<FetchedPage, 'etag' | 'lastModified' | 'sha256'>;
}

/** The page of a URL is what it was when the generation that is served was made. */
interface Unchanged {
  unchanged: { etag: string | null; lastModified: string | null };
}

/** Copies the bytes of documents from the storage or from the web. */
@Injectable()
export class DocumentSource {
  constructor(
    private readonly storage: Storage,
    private readonly pages: PageFetcher,
  ) {}

  /** Writes the document to `path`. Throws a DocumentProblem, the signal's reason, or the storage's error. */
  fetch(claim: ClaimedDocument, path: string, signal: AbortSignal): Promise<Source | Unchanged> {
    return claim.source_type === 'url' ? this.fetchUrl(claim, path, signal) : this.copyFile(claim, path, signal);
  }

  private async copyFile(claim: ClaimedDocument, path: string, signal: AbortSignal): Promise<Source> {
    const stored = claim.file_key === null ? undefined : await this.storage.open(claim.file_key);
    if (!stored || claim.file_type === null) throw new DocumentProblem('FILE_MISSING');
    if (stored.size > FILE_BYTES) {
      stored.stream.destroy();
      throw new DocumentProblem('TOO_LARGE_EXPANDED', 'The file is larger than 10 MB.');
    }
    await pipeline(stored.stream, createWriteStream(path, { mode: 0o600 }), { signal });
    return { type: claim.file_type as DocumentType, bytes: stored.size };
  }

  private async fetchUrl(claim: ClaimedDocument, path: string, signal: AbortSignal): Promise<Source | Unchanged> {
    // The copy that was fetched last is only worth keeping when searches see it.
    const served = claim.serving !== null;
    const known = served ? { etag: claim.etag, lastModified: claim.last_modified } : undefined;
    const page = await this.pages.fetch(claim.source_reference ?? '', path, known, signal);
    if (page === 'unchanged') return { unchanged: { etag: null, lastModified: null } };
    if (served && claim.content_hash?.equals(page.sha256)) return { unchanged: page };
    return page.charset === undefined
      ? { type: page.type, bytes: page.bytes, page }
      : { type: page.type, charset: page.charset, bytes: page.bytes, page };
  }
}
