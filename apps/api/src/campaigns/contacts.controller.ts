import type { Acting } from '@app/audit';
import {
  CampaignContactsService,
  type ContactFilter,
  ContactAdditionsService,
  contactsCsv,
  type ContactView,
} from '@app/campaigns';
import type { Env } from '@app/common';
import { idempotencyKey } from '@app/database';
import { ENV } from '@app/common/settings';
import { Body, Controller, Delete, Get, Headers, Inject, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { BodyLimit, LARGE_BODY_KB } from '../http/server/body.guard.js';
import { sendStream } from '../http/server/long-requests.js';
import { listOf, ListUrl, type PagePlace, type SlicePlace } from '../http/responses/pagination.js';
import { ApiIdempotencyKey } from '../http/validation/path-params.js';
import { ApiCampaignId, ApiContactId, CampaignId, ContactId } from './campaign-params.js';
import {
  ADD_CONTACTS_EXAMPLES,
  AddContactsDto,
  ContactFiltersDto,
  ContactListDto,
  ContactsAddedDto,
  ContactWithMessageDto,
  FoundContactDto,
  ListContactsDto,
  toContactFilter,
} from './contacts.dto.js';

const CSV = 'text/csv';

@ApiTags('Campaigns')
@Controller('api/v1/campaigns/:campaignId/contacts')
export class ContactsController {
  constructor(
    private readonly contacts: CampaignContactsService,
    private readonly additions: ContactAdditionsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('campaigns:read')
  @ApiOperation({
    operationId: 'listContacts',
    summary: 'List contacts',
    description:
      'Returns the contacts of a campaign in the order in which they were added. `reason` and `explanation` say why a contact was not called, or not yet.',
  })
  @ApiCampaignId()
  @ApiResponse({ status: 200, type: ContactListDto, description: 'A page of contacts.' })
  @ApiErrors(404, 422)
  async list(
    @AccountId() accountId: number,
    @CampaignId() campaignId: number,
    @Query() query: ListContactsDto,
    @Req() request: Request,
  ): Promise<object> {
    const filter = toContactFilter(query);
    const reads = {
      slice: async (place: SlicePlace) => {
        const { contacts, ...rest } = await this.contacts.slice(accountId, campaignId, filter, place);
        return { rows: contacts, ...rest };
      },
      page: async (place: PagePlace) => {
        const { contacts, total, isEstimate } = await this.contacts.page(accountId, campaignId, filter, place);
        return { rows: contacts, total: { count: total, isEstimate } };
      },
    };
    return listOf(new ListUrl(request, this.env.PUBLIC_URL), query, reads, (contact: ContactView) => contact);
  }

  @Post()
  @BodyLimit(LARGE_BODY_KB)
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'addContacts',
    summary: 'Add contacts',
    description:
      'Adds contacts to a campaign that has not ended. Rows that cannot be called are reported and do not stop the others. After an interrupted request, send it again: with `duplicates: merge`, no contact is doubled.',
  })
  @ApiCampaignId()
  @ApiIdempotencyKey()
  @ApiBody({ type: AddContactsDto, examples: ADD_CONTACTS_EXAMPLES })
  @ApiResponse({ status: 201, type: ContactsAddedDto, description: 'What became of the rows.' })
  @ApiErrors(
    400,
    404,
    [409, 'CampaignTakesNoContacts', 'The campaign is completed and takes no contacts.'],
    413,
    415,
    422,
  )
  async add(
    @Actor() who: Acting,
    @CampaignId() campaignId: number,
    @Body() body: AddContactsDto,
    @Headers('idempotency-key') header: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ContactsAddedDto> {
    const key = idempotencyKey(header, { campaign: campaignId, contacts: request.body as object });
    const { contacts } = body;
    const command = { contacts, duplicates: body.duplicates ?? 'merge' } as const;
    const { additions, replayed } = await this.additions.add(who, campaignId, command, key);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    const { added } = additions;
    return { message: `${added} ${added === 1 ? 'contact' : 'contacts'} added.`, data: additions };
  }

  @Get('export')
  @Scopes('campaigns:read')
  @ApiOperation({
    operationId: 'exportContacts',
    summary: 'Export contacts',
    description:
      'Streams all contacts with their results as CSV (UTF-8 with a byte order mark, commas). `metadata` and `variables` have a column per name. Texts that a spreadsheet would take for a formula begin with an apostrophe. The file can be imported again. An interrupted response lacks its last rows: the number of rows is in `Trunkline-Contacts`.',
  })
  @ApiCampaignId()
  @ApiResponse({
    status: 200,
    description: 'The contacts.',
    headers: {
      'Trunkline-Contacts': {
        description: 'Number of contacts at the beginning of the export, at most 10,001 with a filter.',
        schema: { type: 'integer' },
      },
    },
    content: {
      [CSV]: {
        schema: { type: 'string' },
        example: 'to_number,status,reason\r\n+15550002222,waiting,campaign_draft\r\n',
      },
    },
  })
  @ApiErrors(404, 422)
  async export(
    @AccountId() accountId: number,
    @CampaignId() campaignId: number,
    @Query() query: ContactFiltersDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const filter: ContactFilter = toContactFilter(query);
    const { total } = await this.contacts.page(accountId, campaignId, filter, { page: 1, perPage: 1 });
    response.set({
      'Cache-Control': 'private, no-store',
      'Content-Disposition': `attachment; filename="campaign-${campaignId}-contacts.csv"`,
      'Content-Type': `${CSV}; charset=utf-8`,
      'Trunkline-Contacts': String(total),
    });
    if (request.method === 'HEAD') return void response.end();
    const text = contactsCsv(this.contacts.export(accountId, campaignId, filter));
    await sendStream(Readable.from(text, { highWaterMark: 1 }), response);
  }

  @Get(':contactId')
  @Scopes('campaigns:read')
  @ApiOperation({ operationId: 'getContact', summary: 'Retrieve a contact' })
  @ApiContactId()
  @ApiResponse({ status: 200, type: FoundContactDto, description: 'The contact.' })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @CampaignId() campaignId: number,
    @ContactId() contactId: string,
  ): Promise<FoundContactDto> {
    return { data: await this.contacts.find(accountId, campaignId, contactId) };
  }

  @Delete(':contactId')
  @Scopes('campaigns:write')
  @ApiOperation({
    operationId: 'removeContact',
    summary: 'Remove a contact',
    description:
      'Removes a waiting contact: its status becomes `cancelled` with the reason `removed`. Its number cannot be added again.',
  })
  @ApiContactId()
  @ApiResponse({ status: 200, type: ContactWithMessageDto, description: 'The contact is not called any more.' })
  @ApiErrors(404, [
    409,
    'ContactBeingCalled',
    'The contact is being called. Cancel its call, or remove the contact afterwards.',
  ])
  async remove(
    @Actor() who: Acting,
    @CampaignId() campaignId: number,
    @ContactId() contactId: string,
  ): Promise<ContactWithMessageDto> {
    return {
      message: 'Contact removed successfully.',
      data: await this.contacts.remove(who, campaignId, contactId),
    };
  }
}
