import type { Acting } from '@app/audit';
import { DoNotCallImportService, DoNotCallService, entryView, type ImportReport } from '@app/calls';
import { type Env, InvalidFields, withCode } from '@app/common';
import { ENV } from '@app/common/settings';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Post,
  Query,
  Req,
  Res,
  UnsupportedMediaTypeException,
  UseInterceptors,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ReadsStream } from '../http/server/body.guard.js';
import { tableFileOf, TableFormInterceptor, tableRequestOf } from '../http/uploads/table-form.js';
import { ConcurrencyLimit, sendStream } from '../http/server/long-requests.js';
import { listOf, ListUrl, type PagePlace, type SlicePlace } from '../http/responses/pagination.js';
import { PathUuid } from '../http/validation/path-params.js';
import {
  ADD_ENTRY_EXAMPLES,
  AddEntryDto,
  CheckNumberDto,
  EntryAddedDto,
  EntryDeletedDto,
  EntryListDto,
  FoundEntriesPreviewDto,
  FoundEntryDto,
  ImportEntriesDto,
  ImportedDto,
  ImportQueryDto,
  ListEntriesDto,
  NumberCheckedDto,
  toEntry,
  toFilter,
} from './do-not-call.dto.js';

const EntryId = (): ParameterDecorator => PathUuid('entryId', 'Do-not-call entry', 'do_not_call');
const ApiEntryId = (): MethodDecorator =>
  ApiParam({ name: 'entryId', description: 'The `id` of the entry.', schema: { type: 'string', format: 'uuid' } });

/** An import holds a connection and locks the list again and again. */
@Injectable()
export class ImportLimit extends ConcurrencyLimit {
  constructor() {
    super({
      most: 4,
      mostPerAccount: 1,
      accountIsFull: 'Another import of the account is running. Wait for its end.',
      processIsFull: 'Too many imports at the moment. Try again.',
    });
  }
}

@ApiTags('Compliance')
@Controller('api/v1/do-not-call')
export class DoNotCallController {
  constructor(
    private readonly list: DoNotCallService,
    private readonly imports: DoNotCallImportService,
    private readonly limit: ImportLimit,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('compliance:read')
  @ApiOperation({
    operationId: 'listDoNotCallEntries',
    summary: 'List do-not-call entries',
    description: 'Returns the numbers and prefixes that the account does not call, newest first.',
  })
  @ApiResponse({ status: 200, type: EntryListDto, description: 'A page of entries.' })
  @ApiErrors(422)
  async all(@AccountId() accountId: number, @Query() query: ListEntriesDto, @Req() request: Request) {
    const filter = toFilter(query);
    const reads = {
      slice: (place: SlicePlace) => this.list.slice(accountId, filter, place),
      page: (place: PagePlace) => this.list.page(accountId, filter, place),
    };
    return listOf(new ListUrl(request, this.env.PUBLIC_URL), query, reads, entryView);
  }

  @Post()
  @Scopes('compliance:write')
  @ApiOperation({
    operationId: 'addDoNotCallEntry',
    summary: 'Add a do-not-call entry',
    description:
      'After the response, no call to the number is dialled any more; calls that are already ringing or answered go on. Queued calls to it end as `failed` with the cause `do_not_call`. An entry of the same number is replaced and returns 200.',
  })
  @ApiBody({ type: AddEntryDto, examples: ADD_ENTRY_EXAMPLES })
  @ApiResponse({ status: 201, type: EntryAddedDto, description: 'The entry was added.' })
  @ApiResponse({ status: 200, type: EntryAddedDto, description: 'The entry of the number was replaced.' })
  @ApiErrors(400, 413, 415, 422)
  async add(
    @Actor() who: Acting,
    @Body() body: AddEntryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EntryAddedDto> {
    const { view, created, endedCalls } = await this.list.add(who, toEntry(body));
    if (!created) response.status(200);
    return { message: 'The number will not be called.', data: view, ended_calls: endedCalls };
  }

  @Get('check')
  @Scopes('compliance:read')
  @ApiOperation({
    operationId: 'checkDoNotCall',
    summary: 'Check a number',
    description:
      'Whether the do-not-call list, the contact limits and the contact hours of the account allow a call to a number now.',
  })
  @ApiResponse({ status: 200, type: NumberCheckedDto, description: 'The result.' })
  @ApiErrors(422)
  async check(@AccountId() accountId: number, @Query() { number }: CheckNumberDto): Promise<NumberCheckedDto> {
    // `+` in a query means a space.
    const text = number.trim().startsWith('sip') ? number.trim() : number.replace(/^ (?=\d)/, '+');
    const listed = await this.list.numberOf(accountId, text);
    if (!listed)
      throw new InvalidFields({
        number: [withCode('invalid_format', 'The number field must be a phone number in E.164 format.')],
      });
    return { data: await this.list.check(accountId, listed) };
  }

  @Get('export')
  @Scopes('compliance:read')
  @ApiOperation({
    operationId: 'exportDoNotCallEntries',
    summary: 'Export the do-not-call list',
    description: 'All entries as CSV, ordered by number. An import reads the file again.',
  })
  @ApiResponse({
    status: 200,
    description: 'The entries.',
    content: { 'text/csv': { schema: { type: 'string' } } },
  })
  async export(@AccountId() accountId: number, @Res() response: Response): Promise<void> {
    response.set({ 'Content-Type': 'text/csv; charset=utf-8', 'Cache-Control': 'private, no-store' });
    response.set('Content-Disposition', 'attachment; filename="do-not-call.csv"');
    await sendStream(Readable.from(this.list.exported(accountId)), response);
  }

  @Post('import')
  @HttpCode(200)
  @ReadsStream('text/csv')
  @Scopes('compliance:write')
  @ApiOperation({
    operationId: 'importDoNotCallEntries',
    summary: 'Import do-not-call entries',
    description:
      'Adds the rows of a CSV file of at most 1,000,000 rows. Columns: `number` (a final `*` makes it a prefix), and optionally `reason` and `expires_at`; without a header, the first column is the number. Refused rows are reported by line and the others are imported. Entries that exist keep the later expiry. Rows are committed in batches: after an error, the import can be repeated.',
  })
  @ApiConsumes('text/csv')
  @ApiBody({ schema: { type: 'string', example: 'number,reason\n+15551234567,asked by e-mail\n+1900*,\n' } })
  @ApiResponse({ status: 200, type: ImportedDto, description: 'The file was imported.' })
  @ApiErrors(400, 415, 422)
  async import(
    @Actor() who: Acting,
    @Query() { default_country: country }: ImportQueryDto,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImportedDto> {
    if (!request.is('text/csv') || request.headers['content-encoding'])
      throw new UnsupportedMediaTypeException('The request body must be text/csv, in UTF-8 and not compressed.');
    return this.imported(who, response, () =>
      this.imports.import(who, { source: 'import', content: request, defaultCountry: country }),
    );
  }

  @Post('import/file')
  @HttpCode(200)
  @ReadsStream('multipart/form-data')
  @UseInterceptors(TableFormInterceptor)
  @Scopes('compliance:write')
  @ApiOperation({
    operationId: 'importDoNotCallFile',
    summary: 'Import do-not-call entries from a CSV file or an Excel workbook',
    description:
      'The same as an import of CSV, for a file with a header in any usual encoding, whose columns can be mapped.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: ImportEntriesDto })
  @ApiResponse({ status: 200, type: ImportedDto, description: 'The file was imported.' })
  @ApiErrors(400, 415, 422)
  async importFile(
    @Actor() who: Acting,
    @Body() body: ImportEntriesDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ImportedDto> {
    return this.imported(who, response, () => {
      const { path } = tableFileOf(body);
      return this.imports.importFile(who, path, tableRequestOf(body));
    });
  }

  @Post('import/preview')
  @HttpCode(200)
  @ReadsStream('multipart/form-data')
  @UseInterceptors(TableFormInterceptor)
  @Scopes('compliance:write')
  @ApiOperation({
    operationId: 'previewDoNotCallImport',
    summary: 'Preview an import of do-not-call entries',
    description:
      'Takes the form of an import and returns its columns with the fields that they have or suggest, the first rows, and how many rows would be added and refused for which reasons. Nothing is stored.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: ImportEntriesDto })
  @ApiResponse({ status: 200, type: FoundEntriesPreviewDto, description: 'What the import would do.' })
  @ApiErrors(400, 415, 422)
  async preview(@AccountId() accountId: number, @Body() body: ImportEntriesDto): Promise<FoundEntriesPreviewDto> {
    return { data: await this.imports.preview(accountId, tableFileOf(body).path, tableRequestOf(body)) };
  }

  @Get(':entryId')
  @Scopes('compliance:read')
  @ApiOperation({ operationId: 'getDoNotCallEntry', summary: 'Retrieve a do-not-call entry' })
  @ApiEntryId()
  @ApiResponse({ status: 200, type: FoundEntryDto, description: 'The entry.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @EntryId() id: string): Promise<FoundEntryDto> {
    return { data: await this.list.find(accountId, id) };
  }

  @Delete(':entryId')
  @Scopes('compliance:write')
  @ApiOperation({
    operationId: 'deleteDoNotCallEntry',
    summary: 'Delete a do-not-call entry',
    description: 'The number may be called again, unless another entry covers it. The audit log keeps the deletion.',
  })
  @ApiEntryId()
  @ApiResponse({ status: 200, type: EntryDeletedDto, description: 'The entry is deleted.' })
  @ApiErrors(404)
  async delete(@Actor() who: Acting, @EntryId() id: string): Promise<EntryDeletedDto> {
    await this.list.delete(who, id);
    return { message: 'Entry deleted successfully.' };
  }

  /** Imports of an account run one after the other. */
  private async imported(who: Acting, response: Response, work: () => Promise<ImportReport>): Promise<ImportedDto> {
    const release = this.limit.acquire(who.accountId, response);
    try {
      const data = await work();
      return { message: `${data.added} ${data.added === 1 ? 'entry was' : 'entries were'} added.`, data };
    } finally {
      release();
    }
  }
}
