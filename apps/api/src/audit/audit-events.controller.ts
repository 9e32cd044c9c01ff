import { type AuditFilter, AuditService } from '@app/audit';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { parseDateOrTime } from '../http/validation/field-validators.js';
import { ListUrl, pageOf, placeOf } from '../http/responses/pagination.js';
import { AuditEventListDto, ListAuditEventsDto } from './audit-events.dto.js';

@ApiTags('Audit log')
@Controller('api/v1/audit-events')
export class AuditEventsController {
  constructor(
    private readonly audit: AuditService,
    @Inject(ENV) private readonly env: Env,
  ) {}

  @Get()
  @Scopes('audit:read')
  @ApiOperation({
    operationId: 'listAuditEvents',
    summary: 'List audit events',
    description:
      'Returns administrative changes in the account, newest first: tokens, sign-in, sessions, secrets, limits, trunks, agents, tools, knowledge bases, and cancelled or deleted calls. Events are kept for one year unless the operator configures another period. Totals over 10,000 are a lower bound (`total_is_estimate`).',
  })
  @ApiResponse({ status: 200, type: AuditEventListDto, description: 'A page of audit events.' })
  @ApiErrors(422)
  async list(
    @AccountId() accountId: number,
    @Query() query: ListAuditEventsDto,
    @Req() request: Request,
  ): Promise<object> {
    const place = placeOf(query);
    const filter = { accountId, ...filterOf(query) };
    const { events, total, isEstimate } = await this.audit.list(filter, place);
    return pageOf(new ListUrl(request, this.env.PUBLIC_URL), events, { ...place, total, isEstimate });
  }
}

const filterOf = ({ action, actor, subject, date_from: from, date_to: to }: ListAuditEventsDto): AuditFilter => ({
  action,
  actor: actor === undefined ? undefined : named(actor),
  subject: subject === undefined ? undefined : named(subject),
  from: from === undefined ? undefined : parseDateOrTime(from, 'start'),
  to: to === undefined ? undefined : parseDateOrTime(to, 'end'),
});

function named(text: string): { kind: string; id?: string } {
  const [kind = '', id] = text.split(':');
  return { kind, id };
}
