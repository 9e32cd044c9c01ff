import { expireWebhookSecret, liveWebhookSecrets, rotateSecret } from '@app/accounts';
import { isoTime, Encryption, timeOrNull } from '@app/common';
import { type Acting, inTransaction, writeAudit } from '@app/database';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Pool } from 'pg';
import { AccountId, Actor } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ApiErrors } from '../http/api-errors.js';
import { PathId } from '../http/path-params.js';
import { RotatedSecretDto, RotateSecretDto, SecretExpiredDto, WebhookSecretListDto } from './secret.dto.js';

/** What webhooks are signed with. */
@ApiTags('Webhooks')
@Controller('api/v1/webhook-secrets')
export class SecretsController {
  constructor(
    private readonly pool: Pool,
    private readonly encryption: Encryption,
  ) {}

  @Get()
  @Scopes('webhooks:read')
  @ApiOperation({
    operationId: 'listWebhookSecrets',
    summary: 'List webhook secrets',
    description: 'What webhooks are signed with, without the secrets themselves.',
  })
  @ApiResponse({ status: 200, type: WebhookSecretListDto, description: 'The secrets.' })
  async list(@AccountId() accountId: number): Promise<WebhookSecretListDto> {
    const secrets = await liveWebhookSecrets(this.pool, this.encryption, accountId);
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
      'Makes a new secret, which is shown once. For `overlap_hours` webhooks carry two signatures, one of each, so that receivers can be changed one after the other; a secret older than both stops now.',
  })
  @ApiResponse({ status: 201, type: RotatedSecretDto, description: 'The new secret.' })
  @ApiErrors(400, 413, 415, 422)
  async rotate(
    @Actor() { accountId, actor }: Acting,
    @Body() { overlap_hours: overlapHours }: RotateSecretDto,
  ): Promise<RotatedSecretDto> {
    const rotated = await inTransaction(this.pool, async (tx) => {
      const made = await rotateSecret(tx, this.encryption, accountId, { overlapHours: overlapHours ?? undefined });
      const subject = { kind: 'webhook_secret', id: made.id };
      await writeAudit(tx, { accountId, actor, action: 'webhook_secret.rotated', subject });
      return made;
    });
    const { id, secret, created_at, previous_expires_at } = rotated;
    const times = { created_at: isoTime(created_at), previous_expires_at: timeOrNull(previous_expires_at) };
    return { message: 'The webhook secret is rotated.', data: { id, secret, ...times } };
  }

  @Post(':id/expire')
  @HttpCode(200)
  @Scopes('webhooks:write')
  @ApiOperation({
    operationId: 'expireWebhookSecret',
    summary: 'End a webhook secret',
    description:
      'Ends the older of two secrets before its time, because it became known for example. The newest one cannot be ended: rotate it first.',
  })
  @ApiParam({ name: 'id', description: 'The `id` of the secret.', schema: { type: 'integer' } })
  @ApiResponse({ status: 200, type: SecretExpiredDto, description: 'Nothing is signed with it any more.' })
  @ApiErrors(404, [409, 'The newest secret signs all webhooks. Rotate it first.'])
  async expire(
    @Actor() { accountId, actor }: Acting,
    @PathId('id', 'Webhook secret') id: number,
  ): Promise<SecretExpiredDto> {
    await inTransaction(this.pool, async (tx) => {
      await expireWebhookSecret(tx, accountId, id);
      const subject = { kind: 'webhook_secret', id };
      await writeAudit(tx, { accountId, actor, action: 'webhook_secret.expired', subject });
    });
    return { message: 'The webhook secret is expired.' };
  }
}
