import { type Env, InvalidFields, type Log, type PeriodicTask, runPeriodically, withCode } from '@app/common';
import type { FileType } from '@app/knowledge';
import { ENV, LOG } from '@app/common/settings';
import { openUploadFolder, REMOVE_PARTS_MS, removeLeftParts, uploadFolder } from '@app/storage';
import {
  BadRequestException,
  Inject,
  Injectable,
  Module,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { trackIgnoredFields } from '../validation/ignored-fields.js';
import { ConcurrencyLimit } from '../server/long-requests.js';
import { Staging } from './staged-file.js';

/** The folder for uploads in progress, with the task that removes the files of killed processes. */
@Injectable()
class UploadFolder implements OnModuleInit, OnModuleDestroy {
  readonly path: string;
  private removing: PeriodicTask | undefined;

  constructor(
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.path = uploadFolder(env.TRUNKLINE_HOME);
  }

  async onModuleInit(): Promise<void> {
    await openUploadFolder(this.env.TRUNKLINE_HOME);
    this.removing = runPeriodically(REMOVE_PARTS_MS, () => removeLeftParts(this.path), this.log);
  }

  async onModuleDestroy(): Promise<void> {
    await this.removing?.stop();
  }
}

const MAX_PER_ACCOUNT = 4;

/** Limits concurrent uploads. Each holds a connection, 64 KB of buffers and disk space. */
@Injectable()
class UploadLimit extends ConcurrencyLimit {
  constructor() {
    super({
      most: 16,
      mostPerAccount: MAX_PER_ACCOUNT,
      accountIsFull: `Only ${MAX_PER_ACCOUNT} files can be uploaded at once. Wait for one to finish.`,
      processIsFull: 'Too many uploads at the moment. Try again.',
    });
  }
}

/** What a form may contain. */
export interface FormRules {
  fileBytes: number;
  /** The error message for a larger file. */
  tooLarge: string;
  /** Bytes of one field. Fields are held in memory, unlike the file. */
  fieldBytes: number;
  fields: number;
  /** Undefined: the file is not kept. */
  typeOf: (name: string) => FileType | undefined;
}

/** Receives forms with a file. No file outlives its request. */
@Injectable()
export class UploadsService {
  constructor(
    private readonly limit: UploadLimit,
    private readonly folder: UploadFolder,
  ) {}

  /** Reads a form into `request.body`, with the file as `file`, for the time of `handle`. */
  async receive<T>(request: Request, response: Response, rules: FormRules, handle: () => Promise<T>): Promise<T> {
    const release = this.limit.acquire(request.user?.accountId ?? 0, response);
    const staging = new Staging(this.folder.path, rules.typeOf);
    try {
      await receiveForm(request, response, staging, rules);
      trackIgnoredFields(request.body, response);
      const { file } = staging;
      if (file) Object.assign(request.body as object, { file });
      return await handle();
    } finally {
      await staging.discard();
      release();
    }
  }
}

@Module({ providers: [UploadsService, UploadLimit, UploadFolder], exports: [UploadsService] })
export class UploadsModule {}

const ONE_FILE = 'A form must have one file, in the field named file.';

/** Errors of busboy for a malformed or incomplete form. */
const MALFORMED = /boundary|Unexpected end|Malformed|Unsupported content type|Request (?:aborted|closed)/i;

/**
 * Reads a form into `request.body` and its file into `staging`. Throws InvalidFields for content that is too large,
 * BadRequestException for a malformed form, and errors of the disk.
 */
async function receiveForm(request: Request, response: Response, staging: Staging, rules: FormRules): Promise<void> {
  // Multer reads a form to its end before it reports an error.
  const formBytes = rules.fileBytes + rules.fieldBytes + 65_536;
  const tooLarge = new InvalidFields({ file: [withCode('too_long', rules.tooLarge)] });
  if (Number(request.headers['content-length'] ?? 0) > formBytes) throw tooLarge;
  const read = multer({
    storage: staging,
    limits: {
      fileSize: rules.fileBytes,
      files: 1,
      fields: rules.fields,
      parts: rules.fields + 2,
      fieldSize: rules.fieldBytes,
      fieldNameSize: 100,
    },
    fileFilter: staging.announce,
    // The default, latin1, garbles other file names.
    defParamCharset: 'utf8',
  }).single('file');
  await new Promise<void>((resolve, reject) => {
    const cut = (): void => reject(new BadRequestException('The upload was cut off.'));
    // Multer would wait forever for a client that disconnected before it attached its listeners.
    if (request.destroyed) return cut();
    request.once('close', () => {
      if (!request.complete) cut();
    });
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > formBytes) reject(tooLarge);
    });
    read(request, response, (error?: unknown) => (error ? reject(explain(error, tooLarge)) : resolve()));
  });
  refuseReplacements(request.body as Record<string, unknown>);
}

/** The decoder replaces bytes that are not UTF-8 by U+FFFD, which must not be stored. */
function refuseReplacements(fields: Record<string, unknown>): void {
  const wrong = Object.entries(fields).filter(([, value]) => JSON.stringify(value).includes('\ufffd'));
  if (wrong.length > 0)
    throw new InvalidFields(
      Object.fromEntries(
        wrong.map(([name]) => [name, [withCode('invalid_format', `The ${name} must be UTF-8 text.`)]]),
      ),
    );
}

function explain(error: unknown, tooLarge: InvalidFields): unknown {
  if (error instanceof MulterError) return ofLimit(error, tooLarge);
  const { message } = error as { message?: unknown };
  if (typeof message === 'string' && MALFORMED.test(message)) {
    return new BadRequestException('The request body is not a complete multipart form.');
  }
  return error;
}

function ofLimit({ code, field = 'file' }: MulterError, tooLarge: InvalidFields): Error {
  switch (code) {
    case 'LIMIT_FILE_SIZE':
      return tooLarge;
    case 'LIMIT_UNEXPECTED_FILE':
    case 'LIMIT_FILE_COUNT':
      return new InvalidFields({ file: [withCode('too_many', ONE_FILE)] });
    case 'LIMIT_FIELD_VALUE':
      return new InvalidFields({
        [field]: [withCode('too_long', `The ${field.replaceAll('_', ' ')} field is too long.`)],
      });
    default:
      return new BadRequestException('The form has too many fields, or one whose name is too long.');
  }
}
