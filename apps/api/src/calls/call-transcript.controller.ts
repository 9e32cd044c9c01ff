import { findTranscriptOfAccount } from '@app/calls';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Pool } from 'pg';
import { AccountId } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ApiErrors } from '../http/api-errors.js';
import { CallIdPipe } from './call-id.pipe.js';
import { sendTranscript } from './send-transcript.js';
import { FoundTranscriptDto } from './transcript.dto.js';

@ApiTags('Calls')
@Controller('api/v1/calls/:callId/transcript')
export class CallTranscriptController {
  constructor(private readonly pool: Pool) {}

  @Get()
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'getCallTranscript',
    summary: 'Read the transcript of a call',
    description:
      'Every turn of the call, in order, however many there are; the same JSON as behind `transcript_url` of a post-call webhook. While the call lasts, `complete` is false and the turns that have ended so far are there; before the call is answered, `turns` is empty. 404 when the transcript was deleted (`transcript_deleted_at`). The answer is written as it is read: an interrupted one ends without its last brackets.',
  })
  @ApiParam({ name: 'callId', description: 'The `call_id` of the call.', schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ description: 'The transcript.', type: FoundTranscriptDto })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @Param('callId', CallIdPipe) callId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendTranscript(this.pool, await findTranscriptOfAccount(this.pool, accountId, callId), request, response);
  }
}
