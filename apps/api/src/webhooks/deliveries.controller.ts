import type { Acting } from '@app/audit';
import { WebhookReplaysService } from '@app/calls';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { deliveryView, WebhookDeliveriesService } from '@app/webhooks';
import { Body, Controller, Get, HttpCode, Inject, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { listOf, ListUrl, type PagePlace, type SlicePlace } from '../http/responses/pagination.js';
import { PathUuid } from '../http/validation/path-params.js';
import {
  DeliveryListDto,
  DeliveryWithMessageDto,
  FoundDeliveryDto,
  ListDeliveriesDto,
  listFilterOf,
  rangeOf,
  RangeReplayedDto,
  ReplayDeliveriesDto,
} from './deliveries.dto.js';

/** Without examples, Swagger UI invents a value for every filter, and no delivery matches all of them. */
const REPLAY_EXAMPLES = {
  outage: {
    summary: 'Deliveries missed during an outage',
    value: { date_from: '2026-01-02T03:00:00Z', date_to: '2026-01-02T04:30:00Z' },
  },
  endpoint: {
    summary: 'Dead deliveries to one endpoint',
    value: { date_from: '2026-01-02', url: 'https://example.com/hooks/call-status', state: 'dead' },
  },
};
const DeliveryId = (): ParameterDecorator => PathUuid('id', 'Webhook delivery', 'webhook_deliveries');
const ApiDeliveryId = () =>
  ApiParam({
    name: 'id',
    description: 'The `webhook-id` of the delivery.',
    schema: { type: 'string', format: 'uuid' },
  });

/** The log of webhooks and queued tool actions, and their replay. */
@ApiTags('Webhooks')
@Controller('api/v1/webhook-deliveries')
export class DeliveriesController {
  constructor(
    private readonly deliveries: WebhookDeliveriesService,
    private readonly replays: WebhookReplaysService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('webhooks:read')
  @ApiOperation({
    operationId: 'listWebhookDeliveries',
    summary: 'List webhook deliveries',
    description:
      'Returns the webhooks and queued tool actions (without `wait_response`) of the account with their state, newest first. Awaited actions are listed in `GET /tool-invocations`.',
  })
  @ApiResponse({ status: 200, type: DeliveryListDto, description: 'A page of deliveries.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: ListDeliveriesDto, @Req() request: Request) {
    const filter = listFilterOf(query);
    const reads = {
      slice: (place: SlicePlace) => this.deliveries.slice(accountId, filter, place),
      page: (place: PagePlace) => this.deliveries.page(accountId, filter, place),
    };
    return listOf(new ListUrl(request, this.env.PUBLIC_URL), query, reads, deliveryView);
  }

  @Post('replay')
  @HttpCode(202)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'replayWebhookDeliveries',
    summary: 'Replay the webhooks of a period',
    description:
      'Sends undelivered webhooks of a period again, for example after an outage of the receiver. Each keeps its `webhook-id` and body and its order within the call. A request replays at most 10,000 deliveries; `next_cursor` continues. Deliveries to a disabled endpoint are skipped.',
  })
  @ApiBody({ type: ReplayDeliveriesDto, examples: REPLAY_EXAMPLES })
  @ApiResponse({ status: 202, type: RangeReplayedDto, description: 'The webhooks will be sent again.' })
  @ApiErrors(400, 413, 415, 422)
  async replayMany(@Actor() acting: Acting, @Body() body: ReplayDeliveriesDto): Promise<RangeReplayedDto> {
    const { range, cursor } = rangeOf(body);
    const { replayed, skipped, next } = await this.replays.replay(acting, range, cursor);
    const message = `${replayed} ${replayed === 1 ? 'webhook' : 'webhooks'} will be sent again.`;
    return { message, data: { replayed, skipped, next_cursor: next } };
  }

  @Get(':id')
  @Scopes('webhooks:read')
  @ApiOperation({
    operationId: 'getWebhookDelivery',
    summary: 'Retrieve a webhook delivery',
    description: 'Returns the delivery with its body and attempts.',
  })
  @ApiDeliveryId()
  @ApiResponse({ status: 200, type: FoundDeliveryDto, description: 'The delivery.' })
  @ApiErrors(404)
  async find(@AccountId() accountId: number, @DeliveryId() id: string): Promise<FoundDeliveryDto> {
    return { data: await this.deliveries.find(accountId, id) };
  }

  @Post(':id/replay')
  @HttpCode(202)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'replayWebhookDelivery',
    summary: 'Replay a webhook',
    description:
      'Sends the delivery again with the same `webhook-id` and body, even if it was delivered. A delivery that waits for its next attempt is sent now; concurrent replays send it once. If it fails again, its slow attempts start over. Returns 409 if the endpoint is disabled.',
  })
  @ApiDeliveryId()
  @ApiResponse({ status: 202, type: DeliveryWithMessageDto, description: 'The webhook will be sent again.' })
  @ApiErrors(404, [409, 'EndpointDisabled', 'The endpoint of the delivery is disabled. Enable it first.'])
  async replay(@Actor() acting: Acting, @DeliveryId() id: string): Promise<DeliveryWithMessageDto> {
    return { message: 'The webhook will be sent again.', data: await this.deliveries.replay(acting, id) };
  }
}
