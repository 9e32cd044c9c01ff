import { newId } from '@app/common';
import { makePrivateFolder, PART } from '@app/storage';
import { type FileType, shownFileName } from '@app/knowledge';
import type { Request } from 'express';
import type { StorageEngine } from 'multer';
import { createHash, type Hash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { callbackify } from 'node:util';

/** The file of a form on the local disk. Only forms create instances, so that no JSON body can name a path. */
export class UploadedFile {
  path: string;
  /** Sanitized for display. */
  name: string;
  /** Undefined: the type is not supported, and nothing of the file was kept. */
  type: FileType | undefined;
  bytes: number;
  /** Hash of the content, hexadecimal. */
  sha256: string;
}

type Written = Partial<Express.Multer.File>;
type Done = (error: Error | null, info?: Written) => void;

/** Writes the file of one request to disk while it is received, 64 KB at a time. */
export class Staging implements StorageEngine {
  private readonly path: string;
  private source: Readable | undefined;
  private writing: Promise<Written> = Promise.resolve({});
  file: UploadedFile | undefined;

  constructor(
    private readonly folder: string,
    private readonly typeOf: (name: string) => FileType | undefined,
  ) {
    this.path = join(folder, `${newId()}${PART}`);
  }

  /** Multer file filter: files with other extensions are skipped. */
  readonly announce = (
    _request: Request,
    file: Express.Multer.File,
    take: (error: null, kept: boolean) => void,
  ): void => {
    const name = shownFileName(file.originalname);
    this.file = Object.assign(new UploadedFile(), {
      path: this.path,
      name,
      type: this.typeOf(name),
      bytes: 0,
      sha256: '',
    });
    take(null, this.file.type !== undefined);
  };

  _handleFile(_request: Request, { stream }: Express.Multer.File, done: Done): void {
    this.source = stream;
    this.writing = this.write(stream);
    callbackify(() => this.writing)(done);
  }

  _removeFile(_request: Request, _file: Express.Multer.File, done: (error: Error | null) => void): void {
    callbackify(() => rm(this.path, { force: true }))(done);
  }

  private async write(source: Readable): Promise<Written> {
    const hash = createHash('sha256');
    await makePrivateFolder(this.folder);
    // Opened before anything else can fail: a stream that is destroyed while opening would create its file later.
    const target = (await open(this.path, 'wx', 0o600)).createWriteStream();
    await pipeline(source, (chunks: AsyncIterable<Buffer>) => hashed(chunks, hash), target);
    const bytes = target.bytesWritten;
    if (this.file) Object.assign(this.file, { bytes, sha256: hash.digest('hex') });
    return { size: bytes, path: this.path };
  }

  /** Removes the file after the request; a file that was moved to the storage stays there. */
  async discard(): Promise<void> {
    this.source?.destroy();
    // receiveForm reports the error to the client.
    await Promise.allSettled([this.writing]);
    await rm(this.path, { force: true });
  }
}

async function* hashed(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
