import type { Acting } from '@app/audit';
import { CampaignImportsService, ImportPreviewService, refusalsCsv } from '@app/campaigns';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { Body, Controller, Get, HttpCode, Inject, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ListUrl, pageOf, PageQueryDto, placeOf } from '../http/responses/pagination.js';
import { ReadsStream } from '../http/server/body.guard.js';
import { sendStream } from '../http/server/long-requests.js';
import { tableFileOf, TableFormInterceptor, tableRequestOf } from '../http/uploads/table-form.js';
import { ApiCampaignId, ApiImportId, CampaignId, ImportId } from './campaign-params.js';
import {
  FoundImportDto,
  FoundPreviewDto,
  ImportContactsDto,
  ImportListDto,
  ImportWithMessageDto,
} from './contact-imports.dto.js';

const CSV = 'text/csv';

@ApiTags('Campaigns')
@Controller('api/v1/campaigns/:campaignId')
export class ContactImportsController {
  constructor(
    private readonly imports: CampaignImportsService,
    private readonly previews: ImportPreviewService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Post('contacts/import')
  @ReadsStream('multipart/form-data')
  @UseInterceptors(TableFormInterceptor)
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'importContacts',
    summary: 'Import contacts from a CSV file or an Excel workbook',
    description:
      'Checks the header of the file and adds its rows in the background: poll the import until its `status` is `completed` or `failed`. Rows that cannot be called are counted and listed in the report of refused rows. A running campaign calls the first contacts while the last ones are read. An account has at most 5 unfinished imports.',
  })
  @ApiCampaignId()
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: ImportContactsDto })
  @ApiResponse({ status: 201, type: ImportWithMessageDto, description: 'The import has begun.' })
  @ApiErrors(400, 404, [409, 'CampaignTakesNoContacts', 'The campaign is completed and takes no contacts.'], 415, 422)
  async import(
    @Actor() who: Acting,
    @CampaignId() campaignId: number,
    @Body() body: ImportContactsDto,
  ): Promise<ImportWithMessageDto> {
    const { path, name } = tableFileOf(body);
    const view = await this.imports.begin(who, campaignId, { path, name }, requestOf(body));
    return { message: 'The import has begun.', data: view };
  }

  @Post('contacts/import/preview')
  @HttpCode(200)
  @ReadsStream('multipart/form-data')
  @UseInterceptors(TableFormInterceptor)
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'previewContactImport',
    summary: 'Preview an import of contacts',
    description:
      'Takes the form of an import and returns its columns with the fields that they have or suggest, the first rows, and how many rows would be added, merged and refused for which reasons. Nothing is stored. Send the `columns` of the response with the import.',
  })
  @ApiCampaignId()
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: ImportContactsDto })
  @ApiResponse({ status: 200, type: FoundPreviewDto, description: 'What the import would do.' })
  @ApiErrors(400, 404, [409, 'CampaignTakesNoContacts', 'The campaign is completed and takes no contacts.'], 415, 422)
  async preview(
    @AccountId() accountId: number,
    @CampaignId() campaignId: number,
    @Body() body: ImportContactsDto,
  ): Promise<FoundPreviewDto> {
    return { data: await this.previews.preview(accountId, campaignId, tableFileOf(body).path, requestOf(body)) };
  }

  @Get('imports')
  @Scopes('campaigns:read')
  @ApiOperation({
    operationId: 'listImports',
    summary: 'List imports',
    description: 'Returns the imports of a campaign, newest first. They are deleted 30 days after their end.',
  })
  @ApiCampaignId()
  @ApiResponse({ status: 200, type: ImportListDto, description: 'A page of imports.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @CampaignId() campaignId: number,
    @Query() query: PageQueryDto,
    @Req() request: Request,
  ): Promise<object> {
    const place = placeOf(query);
    const { imports, total } = await this.imports.list(accountId, campaignId, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), imports, { ...place, total });
  }

  @Get('imports/:importId')
  @Scopes('campaigns:read')
  @ApiOperation({ operationId: 'getImport', summary: 'Retrieve an import' })
  @ApiImportId()
  @ApiResponse({ status: 200, type: FoundImportDto, description: 'The import.' })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @CampaignId() campaignId: number,
    @ImportId() importId: string,
  ): Promise<FoundImportDto> {
    return { data: await this.imports.find(accountId, campaignId, importId) };
  }

  @Get('imports/:importId/refused')
  @Scopes('campaigns:read')
  @ApiOperation({
    operationId: 'getRefusedRows',
    summary: 'Download the refused rows of an import',
    description:
      'Returns line, field and reason of the first 10,000 refused rows as CSV. Values are not included: the lines are those of the uploaded file.',
  })
  @ApiImportId()
  @ApiResponse({
    status: 200,
    description: 'The refused rows.',
    content: {
      [CSV]: {
        schema: { type: 'string' },
        example: 'line,field,reason\r\n17,to_number,The number must begin with + and its country code.\r\n',
      },
    },
  })
  @ApiErrors(404)
  async refused(
    @AccountId() accountId: number,
    @CampaignId() campaignId: number,
    @ImportId() importId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const refusals = await this.imports.refusals(accountId, campaignId, importId);
    response.set({
      'Cache-Control': 'private, no-store',
      'Content-Disposition': `attachment; filename="import-${importId}-refused.csv"`,
      'Content-Type': `${CSV}; charset=utf-8`,
    });
    if (request.method === 'HEAD') return void response.end();
    await sendStream(Readable.from(refusalsCsv(refusals), { highWaterMark: 1 }), response);
  }
}

/** Throws InvalidFields. */
const requestOf = (body: ImportContactsDto) => ({ ...tableRequestOf(body), duplicates: body.duplicates ?? 'merge' });
