import { type TranscribedCall, TranscriptsService, type TranscriptTurn } from '@app/calls';
import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { AddressGuard } from '@app/auth';
import { AccountId } from '../auth/principal.js';
import { Scopes } from '../auth/scopes.js';
import { ApiErrors } from '../http/api-errors.js';
import { sendStream } from '../http/send-stream.js';
import { ApiCallId, ApiSignedLink, CallIdPipe } from './call-params.js';
import { FoundTranscriptDto } from './found-call.dto.js';

@ApiTags('Calls')
@Controller('api/v1/calls/:callId/transcript')
export class CallTranscriptController {
  constructor(private readonly transcripts: TranscriptsService) {}

  @Get()
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'getCallTranscript',
    summary: 'Read the transcript of a call',
    description:
      'Every turn of the call, in order, however many there are; the same JSON as behind `transcript_url` of a post-call webhook. While the call lasts, `complete` is false and the turns that have ended so far are there; before the call is answered, `turns` is empty. 404 when the transcript was deleted (`transcript_deleted_at`). The answer is written as it is read: an interrupted one ends without its last brackets.',
  })
  @ApiCallId()
  @ApiOkResponse({ description: 'The transcript.', type: FoundTranscriptDto })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @Param('callId', CallIdPipe) callId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendTranscript(this.transcripts, await this.transcripts.find(accountId, callId), request, response);
  }
}

@ApiTags('Calls')
@Controller('api/v1/transcripts')
@UseGuards(AddressGuard)
export class TranscriptsController {
  constructor(private readonly transcripts: TranscriptsService) {}

  @Get(':callId')
  @ApiOperation({
    operationId: 'downloadTranscript',
    summary: 'Download a whole transcript',
    description:
      'The target of `transcript_url` in a post-call webhook that has not room for its transcript; takes no token. A link that expired or was changed, a call that was deleted, and a transcript that was (`transcript_deleted_at`), are all 404. The answer is written as it is read: an interrupted one ends without its last brackets.',
  })
  @ApiSignedLink()
  @ApiOkResponse({ description: 'The transcript.', type: FoundTranscriptDto })
  @ApiErrors(404, 429)
  async download(
    @Param('callId') callId: string,
    @Query('expires') expires = '',
    @Query('signature') signature = '',
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const call = await this.transcripts.findByLink(callId, { expires, signature });
    await sendTranscript(this.transcripts, call, request, response);
  }
}

/** Sends a FoundTranscriptDto as a file, some turns at a time. */
async function sendTranscript(
  transcripts: TranscriptsService,
  call: TranscribedCall,
  request: Request,
  response: Response,
): Promise<void> {
  const turns = await transcripts.turns(call.id);
  response.set({
    'Cache-Control': 'private, no-store',
    'Content-Disposition': `attachment; filename="${call.id}.json"`,
    'Content-Type': 'application/json; charset=utf-8',
  });
  if (request.method === 'HEAD') return void response.end();
  // Without the mark 16 chunks would be read ahead of a slow client.
  await sendStream(Readable.from(jsonOf(call, turns), { highWaterMark: 1 }), response);
}

/** The text of a FoundTranscriptDto, piece by piece. */
async function* jsonOf(
  { id, ended }: TranscribedCall,
  chunks: AsyncIterable<TranscriptTurn[]>,
): AsyncGenerator<string> {
  yield `{"data":{"call_id":${JSON.stringify(id)},"complete":${ended},"turns":[`;
  let separator = '';
  for await (const turns of chunks) {
    yield separator + turns.map((turn) => JSON.stringify(turn)).join(',');
    separator = ',';
  }
  yield ']}}';
}
