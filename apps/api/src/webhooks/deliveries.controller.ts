import { type Env } from '@app/common';
import { type Acting, inTransaction, ListTotals, readCursor, writeAudit } from '@app/database';
import { WakeUps } from '@app/queue';
import {
  deliveryView,
  findDelivery,
  pageOfDeliveries,
  replayDelivery,
  replayRange,
  sliceOfDeliveries,
} from '@app/webhooks';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Pool } from 'pg';
import { AccountId, Actor } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ENV } from '@app/settings';
import { ApiErrors } from '../http/api-errors.js';
import { cursorEnvelope, ListUrl, pageEnvelope } from '../http/pagination.js';
import { UuidPipe } from '../http/path-params.js';
import { DeliveryListDto, DeliveryWithMessageDto, FoundDeliveryDto } from './delivery.dto.js';
import { ListDeliveriesDto, listFilterOf } from './list-deliveries.dto.js';
import { RangeReplayedDto, rangeOf, ReplayDeliveriesDto } from './replay-deliveries.dto.js';

const PER_PAGE = 15;
/** Without them Swagger UI makes up text for every field that may narrow the range, and nothing is of all that. */
const REPLAY_EXAMPLES = {
  outage: {
    summary: 'What did not arrive during an outage',
    value: { date_from: '2026-01-02T03:00:00Z', date_to: '2026-01-02T04:30:00Z' },
  },
  endpoint: {
    summary: 'What one endpoint has given up for good',
    value: { date_from: '2026-01-02', url: 'https://example.com/hooks/call-status', state: 'dead' },
  },
};
const DELIVERY_ID = new UuidPipe('Webhook delivery');
const DeliveryId = () =>
  ApiParam({ name: 'id', description: 'The `webhook-id`.', schema: { type: 'string', format: 'uuid' } });

/** Webhooks and queued tool actions, what became of them, and how to have them sent again. */
@ApiTags('Webhooks')
@Controller('api/v1/webhook-deliveries')
export class DeliveriesController {
  private readonly totals: ListTotals;

  constructor(
    private readonly pool: Pool,
    private readonly wakeUps: WakeUps,
    @Inject(ENV) private readonly env: Env,
  ) {
    this.totals = new ListTotals(pool);
  }

  @Get()
  @Scopes('webhooks:read')
  @ApiOperation({
    operationId: 'listWebhookDeliveries',
    summary: 'List webhook deliveries',
    description:
      "The account's webhooks and the actions of tools that nobody waits for, newest first, with what became of each. Actions that are waited for are in `GET /tool-invocations`.",
  })
  @ApiResponse({ status: 200, type: DeliveryListDto, description: 'A page of deliveries.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: ListDeliveriesDto, @Req() request: Request) {
    const filter = listFilterOf(query);
    const perPage = query.per_page ?? PER_PAGE;
    const address = new ListUrl(request, this.env.PUBLIC_URL);
    if (query.cursor !== undefined || query.pagination === 'cursor') {
      const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor);
      const { rows, next, prev } = await sliceOfDeliveries(this.pool, accountId, filter, { cursor, perPage });
      return { data: rows.map(deliveryView), ...cursorEnvelope(address, { perPage, next, prev }) };
    }
    const page = query.page ?? 1;
    const parts = { pool: this.pool, totals: this.totals };
    const { rows, total } = await pageOfDeliveries(parts, accountId, filter, { page, perPage });
    const facts = { page, perPage, shown: rows.length, total: total.count, isEstimate: total.isEstimate };
    return { data: rows.map(deliveryView), ...pageEnvelope(address, facts) };
  }

  @Post('replay')
  @HttpCode(202)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'replayWebhookDeliveries',
    summary: 'Replay the webhooks of a time',
    description:
      'Sends again what happened in a time and did not arrive, after an outage of the receiver for example: each with the `webhook-id` and body it had, in the order of its call. At most 10,000 at once; `next_cursor` goes on. What goes to a disabled endpoint is skipped.',
  })
  @ApiBody({ type: ReplayDeliveriesDto, examples: REPLAY_EXAMPLES })
  @ApiResponse({ status: 202, type: RangeReplayedDto, description: 'They are on their way.' })
  @ApiErrors(400, 413, 415, 422)
  async replayMany(
    @Actor() { accountId, actor }: Acting,
    @Body() body: ReplayDeliveriesDto,
  ): Promise<RangeReplayedDto> {
    const { range, cursor } = rangeOf(body);
    const { replayed, skipped, next } = await replayRange(this.pool, accountId, range, {
      cursor,
      note: (tx, count) =>
        writeAudit(tx, { accountId, actor, action: 'webhook_deliveries.replayed', details: { count, ...range } }),
    });
    if (replayed > 0) this.wakeUps.wake('webhooks');
    const message = `${replayed} ${replayed === 1 ? 'webhook' : 'webhooks'} will be sent again.`;
    return { message, data: { replayed, skipped, next_cursor: next } };
  }

  @Get(':id')
  @Scopes('webhooks:read')
  @ApiOperation({
    operationId: 'getWebhookDelivery',
    summary: 'Read one webhook delivery',
    description: 'With the text that is sent, and every try.',
  })
  @DeliveryId()
  @ApiResponse({ status: 200, type: FoundDeliveryDto, description: 'The delivery.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @Param('id', DELIVERY_ID) id: string): Promise<FoundDeliveryDto> {
    return { data: await findDelivery(this.pool, accountId, id) };
  }

  @Post(':id/replay')
  @HttpCode(202)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'replayWebhookDelivery',
    summary: 'Replay a webhook',
    description:
      'Sends it again with the `webhook-id` and body it had, also one that was delivered. One that waits for its next try is tried now instead; asking twice sends nothing twice. When it fails again its slow tries begin anew. 409: its endpoint is disabled.',
  })
  @DeliveryId()
  @ApiResponse({ status: 202, type: DeliveryWithMessageDto, description: 'It is on its way.' })
  @ApiErrors(404, [409, 'The endpoint of the delivery is disabled. Enable it first.'])
  async replay(
    @Actor() { accountId, actor }: Acting,
    @Param('id', DELIVERY_ID) id: string,
  ): Promise<DeliveryWithMessageDto> {
    const subject = { kind: 'webhook_delivery', id };
    const data = await inTransaction(this.pool, async (tx) => {
      await writeAudit(tx, { accountId, actor, action: 'webhook_delivery.replayed', subject });
      return replayDelivery(tx, accountId, id);
    });
    this.wakeUps.wake('webhooks');
    return { message: 'The webhook will be sent again.', data };
  }
}
