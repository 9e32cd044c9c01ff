import { AddressGuard } from '@app/auth';
import { type TranscribedCall, TranscriptsService, type TranscriptTurn } from '@app/calls';
import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { AccountId, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { sendStream } from '../http/server/long-requests.js';
import { ApiCallId, ApiSignedLink, CallId } from '../http/validation/path-params.js';
import { FoundTranscriptDto } from './call-results.dto.js';

@ApiTags('Call results')
@Controller('api/v1/calls/:callId/transcript')
export class CallTranscriptController {
  constructor(private readonly transcripts: TranscriptsService) {}

  @Get()
  @Scopes('calls:read')
  @ApiOperation({
    operationId: 'getCallTranscript',
    summary: 'Retrieve the transcript of a call',
    description:
      'Returns all turns of the call in order: the same JSON as `transcript_url` of a post-call webhook. While the call is in progress, `complete` is false and `turns` contains the finished turns; before the answer it is empty. Returns 404 if the transcript was deleted (`transcript_deleted_at`). The response is streamed: an interrupted response lacks its closing brackets.',
  })
  @ApiCallId()
  @ApiOkResponse({ description: 'The transcript.', type: FoundTranscriptDto })
  @ApiErrors(404)
  async find(
    @AccountId() accountId: number,
    @CallId() callId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendTranscript(this.transcripts, await this.transcripts.find(accountId, callId), request, response);
  }
}

@ApiTags('Call results')
@Controller('api/v1/transcripts')
@UseGuards(AddressGuard)
export class TranscriptsController {
  constructor(private readonly transcripts: TranscriptsService) {}

  @Get(':callId')
  @ApiOperation({
    operationId: 'downloadTranscript',
    summary: 'Download a complete transcript',
    description:
      'Target of `transcript_url` in a post-call webhook whose transcript is truncated; requires no token. Returns 404 for an expired or modified link, a deleted call, and a deleted transcript (`transcript_deleted_at`). The response is streamed: an interrupted response lacks its closing brackets.',
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

/** Streams a FoundTranscriptDto as a file. */
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
  // The default would read 16 chunks ahead of a slow client.
  await sendStream(Readable.from(jsonOf(call, turns), { highWaterMark: 1 }), response);
}

/** The JSON of a FoundTranscriptDto in chunks. */
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
