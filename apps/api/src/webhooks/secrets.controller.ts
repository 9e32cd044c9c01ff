import type { Acting } from '@app/audit';
import { isoTime, timeOrNull } from '@app/common';
import { WebhookSecretsService } from '@app/webhooks';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { PathId } from '../http/validation/path-params.js';
import { RotatedSecretDto, RotateSecretDto, SecretExpiredDto, WebhookSecretListDto } from './secrets.dto.js';

/** The secrets that sign webhooks. */
@ApiTags('Webhooks')
@Controller('api/v1/webhook-secrets')
export class SecretsController {
  constructor(private readonly secrets: WebhookSecretsService) {}

  @Get()
  @Scopes('webhooks:read')
  @ApiOperation({
    operationId: 'listWebhookSecrets',
    summary: 'List webhook secrets',
    description: 'Returns the secrets that sign webhooks, with their last characters only.',
  })
  @ApiResponse({ status: 200, type: WebhookSecretListDto, description: 'The secrets.' })
  async list(@AccountId() accountId: number): Promise<WebhookSecretListDto> {
    const secrets = await this.secrets.list(accountId);
    const data = secrets.map(({ created_at, expires_at, ...secret }) => ({
      ...secret,
      created_at: isoTime(created_at),
      expires_at: timeOrNull(expires_at),
    }));
    return { data };
  }

  @Post('rotate')
  @HttpCode(201)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the webhook secret',
    description:
      'Creates a new secret, which is returned only once. For `overlap_hours`, webhooks carry signatures with both the new and the previous secret, so that receivers can be updated one by one. Older secrets expire immediately.',
  })
  @ApiResponse({ status: 201, type: RotatedSecretDto, description: 'The new secret.' })
  @ApiErrors(400, 413, 415, 422)
  async rotate(
    @Actor() acting: Acting,
    @Body() { overlap_hours: overlapHours }: RotateSecretDto,
  ): Promise<RotatedSecretDto> {
    const rotated = await this.secrets.rotate(acting, overlapHours ?? undefined);
    const { id, secret, created_at, previous_expires_at } = rotated;
    const times = { created_at: isoTime(created_at), previous_expires_at: timeOrNull(previous_expires_at) };
    return { message: 'The webhook secret is rotated.', data: { id, secret, ...times } };
  }

  @Post(':id/expire')
  @HttpCode(200)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'expireWebhookSecret',
    summary: 'Expire a webhook secret',
    description:
      'Expires the previous secret early, for example after a leak. The current secret cannot be expired; rotate it first.',
  })
  @ApiParam({ name: 'id', description: 'The `id` of the secret.', schema: { type: 'integer' } })
  @ApiResponse({ status: 200, type: SecretExpiredDto, description: 'The secret no longer signs webhooks.' })
  @ApiErrors(404, [409, 'SecretInUse', 'The newest secret signs all webhooks. Rotate it first.'])
  async expire(
    @Actor() acting: Acting,
    @PathId('id', 'Webhook secret', 'webhook_secrets') id: number,
  ): Promise<SecretExpiredDto> {
    await this.secrets.expire(acting, id);
    return { message: 'The webhook secret is expired.' };
  }
}
