import type { Acting } from '@app/audit';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { WebhookEndpointsService } from '@app/webhooks';
import { Controller, Get, HttpCode, Inject, Post, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { ListUrl, pageOf, placeOf } from '../http/responses/pagination.js';
import { PathId } from '../http/validation/path-params.js';
import { EndpointListDto, endpointView, EndpointWithMessageDto, ListEndpointsDto } from './endpoints.dto.js';

/** The URLs of an account's webhooks and their health. */
@ApiTags('Webhooks')
@Controller('api/v1/webhook-endpoints')
export class EndpointsController {
  constructor(
    private readonly endpoints: WebhookEndpointsService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('webhooks:read')
  @ApiOperation({
    operationId: 'listWebhookEndpoints',
    summary: 'List webhook endpoints',
    description: 'Returns the URLs that received a request in the last 30 days, and disabled ones.',
  })
  @ApiResponse({ status: 200, type: EndpointListDto, description: 'A page of endpoints.' })
  @ApiErrors(422)
  async list(@AccountId() accountId: number, @Query() query: ListEndpointsDto, @Req() request: Request) {
    const place = placeOf(query);
    const { page, perPage } = place;
    const wanted = { state: query.state, limit: perPage, offset: (page - 1) * perPage };
    const { endpoints: found, total } = await this.endpoints.list(accountId, wanted);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), found.map(endpointView), { ...place, total });
  }

  @Post(':id/enable')
  @HttpCode(200)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'enableWebhookEndpoint',
    summary: 'Enable a webhook endpoint',
    description:
      'Resumes sending webhooks to the endpoint. Deliveries that ended as `dead` in the meantime can be replayed with `POST /webhook-deliveries/replay`, with the `url` of the endpoint and its `disabled_at` as `date_from`.',
  })
  @ApiParam({ name: 'id', description: 'The `id` of the endpoint.', schema: { type: 'integer' } })
  @ApiResponse({
    status: 200,
    type: EndpointWithMessageDto,
    description: 'The endpoint is enabled, even if it was enabled before.',
  })
  @ApiErrors(404)
  async enable(
    @Actor() acting: Acting,
    @PathId('id', 'Webhook endpoint', 'webhook_endpoints') id: number,
  ): Promise<EndpointWithMessageDto> {
    const enabled = await this.endpoints.enable(acting, id);
    return { message: 'The endpoint is enabled.', data: endpointView(enabled) };
  }
}
