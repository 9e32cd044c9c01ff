import { type Env, NotFound } from '@app/common';
import { type Acting, inTransaction, writeAudit } from '@app/database';
import { countEndpoints, enableEndpoint, listEndpoints } from '@app/webhooks';
import { Controller, Get, HttpCode, Inject, Post, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Pool } from 'pg';
import { AccountId, Actor } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ENV } from '@app/settings';
import { ApiErrors } from '../http/api-errors.js';
import { ListUrl, pageEnvelope } from '../http/pagination.js';
import { PathId } from '../http/path-params.js';
import { EndpointListDto, endpointView, EndpointWithMessageDto, ListEndpointsDto } from './endpoint.dto.js';

const PER_PAGE = 15;

/** Where an account's webhooks go, and whether that works. */
@ApiTags('Webhooks')
@Controller('api/v1/webhook-endpoints')
export class EndpointsController {
  constructor(
    private readonly pool: Pool,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('webhooks:read')
  @ApiOperation({
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: 'URLs that something was sent to in the last 30 days, and those that are disabled.',
  })
  @ApiResponse({ status: 200, type: EndpointListDto, description: 'A page of endpoints.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: ListEndpointsDto, @Req() request: Request) {
    const { state, page = 1, per_page: perPage = PER_PAGE } = query;
    const [found, total] = await Promise.all([
      listEndpoints(this.pool, accountId, { state, limit: perPage, offset: (page - 1) * perPage }),
      countEndpoints(this.pool, accountId, state),
    ]);
    const facts = { page, perPage, shown: found.length, total, isEstimate: false };
    return { data: found.map(endpointView), ...pageEnvelope(new ListUrl(request, this.env.PUBLIC_URL), facts) };
  }

  @Post(':id/enable')
  @HttpCode(200)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'enableWebhookEndpoint',
    summary: 'Enable a webhook endpoint',
    description:
      'Webhooks go to it again. What ended as `dead` meanwhile stays so until it is replayed: `POST /webhook-deliveries/replay` with its `url` and `disabled_at` as `date_from`.',
  })
  @ApiParam({ name: 'id', description: 'The `id` of the endpoint.', schema: { type: 'integer' } })
  @ApiResponse({ status: 200, type: EndpointWithMessageDto, description: 'It is enabled, also when it was before.' })
  @ApiErrors(404)
  async enable(
    @Actor() { accountId, actor }: Acting,
    @PathId('id', 'Webhook endpoint') id: number,
  ): Promise<EndpointWithMessageDto> {
    const enabled = await inTransaction(this.pool, async (tx) => {
      const endpoint = await enableEndpoint(tx, accountId, id);
      if (!endpoint) throw new NotFound('Webhook endpoint');
      const subject = { kind: 'webhook_endpoint', id };
      await writeAudit(tx, { accountId, actor, action: 'webhook_endpoint.enabled', subject });
      return endpoint;
    });
    return { message: 'The endpoint is enabled.', data: endpointView(enabled) };
  }
}
