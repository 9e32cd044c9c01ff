import { findTranscript, LinkSigner, type TranscribedCall } from '@app/calls';
import { isUuid, NotFound, Encryption } from '@app/common';
import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Pool } from 'pg';
import { AddressGuard } from '@app/auth';
import { ApiErrors } from '../http/api-errors.js';
import { sendTranscript } from './send-transcript.js';
import { SignedLink } from './signed-link.js';
import { FoundTranscriptDto } from './transcript.dto.js';

@ApiTags('Calls')
@Controller('api/v1/transcripts')
@UseGuards(AddressGuard)
export class TranscriptsController {
  private readonly signer: LinkSigner;

  constructor(
    private readonly pool: Pool,
    encryption: Encryption,
  ) {
    this.signer = new LinkSigner(encryption, 'transcript-link');
  }

  @Get(':callId')
  @ApiOperation({
    operationId: 'downloadTranscript',
    summary: 'Download a whole transcript',
    description:
      'The target of `transcript_url` in a post-call webhook that has not room for its transcript; takes no token. A link that expired or was changed, a call that was deleted, and a transcript that was (`transcript_deleted_at`), are all 404. The answer is written as it is read: an interrupted one ends without its last brackets.',
  })
  @SignedLink()
  @ApiOkResponse({ description: 'The transcript.', type: FoundTranscriptDto })
  @ApiErrors(404, 429)
  async download(
    @Param('callId') callId: string,
    @Query('expires') expires = '',
    @Query('signature') signature = '',
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendTranscript(this.pool, await this.permitted(callId, expires, signature), request, response);
  }

  private async permitted(callId: string, expires: string, signature: string): Promise<TranscribedCall> {
    const call = isUuid(callId) ? await findTranscript(this.pool, callId) : undefined;
    if (!call || !this.signer.verify(call, expires, signature)) throw new NotFound('Transcript');
    return call;
  }
}
