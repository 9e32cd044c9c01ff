import { InvalidFields } from '@app/common';
import { FILE_BYTES } from '@app/knowledge';
import { BadRequestException } from '@nestjs/common';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import type { Staging } from './staged-file.js';

/** A text of 500,000 characters in UTF-8 fits; it is in memory, unlike the file. */
const FIELD_BYTES = 2_097_152;
/** The file, one such field, and the seams. Multer reads a form to its end before it says what is wrong with it. */
const FORM_BYTES = FILE_BYTES + FIELD_BYTES + 65_536;
const LIMITS = { fileSize: FILE_BYTES, files: 1, fields: 10, parts: 12, fieldSize: FIELD_BYTES, fieldNameSize: 100 };

const TOO_LARGE = 'The file field must not be greater than 10 MB (10,485,760 bytes).';
const ONE_FILE = 'A form must have one file, in the field named file.';

/** What busboy says of a form that ends too early, or is none. */
const MALFORMED = /boundary|Unexpected end|Malformed|Unsupported content type|Request (?:aborted|closed)/i;

/**
 * Reads a form into `request.body`, its file into `staging`. Throws InvalidFields on what is too large, BadRequestException
 * when it is not a form, and the error of the disk.
 */
export async function receiveForm(request: Request, response: Response, staging: Staging): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > FORM_BYTES) throw new InvalidFields({ file: [TOO_LARGE] });
  const read = multer({
    storage: staging,
    limits: LIMITS,
    fileFilter: staging.announce,
    // The default, latin1, makes of every other name what it was not.
    defParamCharset: 'utf8',
  }).single('file');
  await new Promise<void>((resolve, reject) => {
    const cut = (): void => reject(new BadRequestException('The upload was cut off.'));
    // Multer waits for the end of a client that left before it began to listen.
    if (request.destroyed) return cut();
    request.once('close', () => {
      if (!request.complete) cut();
    });
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > FORM_BYTES) reject(new InvalidFields({ file: [TOO_LARGE] }));
    });
    read(request, response, (error?: unknown) => (error ? reject(explained(error)) : resolve()));
  });
}

function explained(error: unknown): unknown {
  if (error instanceof MulterError) return ofLimit(error);
  const { message } = error as { message?: unknown };
  if (typeof message === 'string' && MALFORMED.test(message)) {
    return new BadRequestException('The request body is not a complete multipart form.');
  }
  return error;
}

function ofLimit({ code, field = 'file' }: MulterError): Error {
  switch (code) {
    case 'LIMIT_FILE_SIZE':
      return new InvalidFields({ file: [TOO_LARGE] });
    case 'LIMIT_UNEXPECTED_FILE':
    case 'LIMIT_FILE_COUNT':
      return new InvalidFields({ file: [ONE_FILE] });
    case 'LIMIT_FIELD_VALUE':
      return new InvalidFields({ [field]: [`The ${field.replaceAll('_', ' ')} field is too long.`] });
    default:
      return new BadRequestException('The form has too many fields, or one whose name is too long.');
  }
}
