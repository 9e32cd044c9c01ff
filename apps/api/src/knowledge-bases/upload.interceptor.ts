import { type Env, InvalidFields, type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { FILE_BYTES, SELECTED_AT_MOST } from '@app/knowledge';
import { ENV, LOG } from '@app/settings';
import { openUploadFolder, REMOVE_PARTS_MS, removeLeftParts, uploadFolder } from '@app/storage';
import {
  BadRequestException,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import multer, { MulterError } from 'multer';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { trackIgnoredFields } from '../http/ignored-fields.js';
import { ConcurrencyLimit } from '../http/long-requests.js';
import { Staging } from './staged-file.js';

/** The folder for uploads in progress, with the task that removes the files of killed processes. */
@Injectable()
export class UploadFolder implements OnModuleInit, OnModuleDestroy {
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

const MOST_PER_ACCOUNT = 4;

/** Limits concurrent uploads. Each holds a connection, 64 KB of buffers and disk space. */
@Injectable()
export class UploadLimit extends ConcurrencyLimit {
  constructor() {
    super({
      most: 16,
      mostPerAccount: MOST_PER_ACCOUNT,
      accountIsFull: `Only ${MOST_PER_ACCOUNT} files can be uploaded at once. Wait for one to finish.`,
      processIsFull: 'Too many uploads at the moment. Try again.',
    });
  }
}

/** Reads a form into `request.body`, with the file as `file`; skips JSON. No file outlives its request. */
@Injectable()
export class UploadInterceptor implements NestInterceptor {
  constructor(
    private readonly limit: UploadLimit,
    private readonly folder: UploadFolder,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (!request.is('multipart/form-data')) return next.handle();
    const response = http.getResponse<Response>();
    const release = this.limit.acquire(request.user?.accountId ?? 0, response);
    const staging = new Staging(this.folder.path);
    try {
      await receiveForm(request, response, staging);
      readIds(request.body as FormFields);
      trackIgnoredFields(request.body, response);
      const { file } = staging;
      if (file) Object.assign(request.body as object, { file });
      return of(await lastValueFrom(next.handle()));
    } finally {
      await staging.discard();
      release();
    }
  }
}

/** Fits a text of 500,000 characters in UTF-8. Fields are held in memory, unlike the file. */
const FIELD_BYTES = 2_097_152;
/** The file, one such field and the part boundaries. Multer reads a form to its end before it reports an error. */
const FORM_BYTES = FILE_BYTES + FIELD_BYTES + 65_536;
/** `agent_ids` is repeated; one too many is reported as such. */
const FIELDS = 10 + SELECTED_AT_MOST + 1;
const LIMITS = {
  fileSize: FILE_BYTES,
  files: 1,
  fields: FIELDS,
  parts: FIELDS + 2,
  fieldSize: FIELD_BYTES,
  fieldNameSize: 100,
};

const TOO_LARGE = 'The file field must not be greater than 10 MB (10,485,760 bytes).';
const ONE_FILE = 'A form must have one file, in the field named file.';

/** Errors of busboy for a malformed or incomplete form. */
const MALFORMED = /boundary|Unexpected end|Malformed|Unsupported content type|Request (?:aborted|closed)/i;

/**
 * Reads a form into `request.body` and its file into `staging`. Throws InvalidFields for content that is too large,
 * BadRequestException for a malformed form, and errors of the disk.
 */
async function receiveForm(request: Request, response: Response, staging: Staging): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > FORM_BYTES) throw new InvalidFields({ file: [TOO_LARGE] });
  const read = multer({
    storage: staging,
    limits: LIMITS,
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
      if (received > FORM_BYTES) reject(new InvalidFields({ file: [TOO_LARGE] }));
    });
    read(request, response, (error?: unknown) => (error ? reject(explained(error)) : resolve()));
  });
}

type FormFields = Record<string, unknown>;

/** Form fields are texts: the ids in `agent_ids`, one text or several, become integers. Other values are left to the validation. */
function readIds(fields: FormFields): void {
  const { agent_ids: sent } = fields;
  if (sent === undefined || sent === '') return;
  fields.agent_ids = [sent]
    .flat()
    .map((id: unknown) => (typeof id === 'string' && /^\d{1,10}$/.test(id) ? Number(id) : id));
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
