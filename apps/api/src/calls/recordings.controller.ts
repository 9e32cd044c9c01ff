import { findRecording, LinkSigner, type RecordingRow } from '@app/calls';
import { isUuid, NotFound, Encryption } from '@app/common';
import { Storage } from '@app/storage';
import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Pool } from 'pg';
import { AddressGuard } from '@app/auth';
import { ApiErrors } from '../http/api-errors.js';
import { sendStream } from '../http/send-stream.js';
import { rangeOf } from './byte-range.js';
import { SignedLink } from './signed-link.js';

@ApiTags('Calls')
@Controller('api/v1/recordings')
@UseGuards(AddressGuard)
export class RecordingsController {
  private readonly signer: LinkSigner;

  constructor(
    private readonly pool: Pool,
    encryption: Encryption,
    private readonly storage: Storage,
  ) {
    this.signer = new LinkSigner(encryption, 'recording-link');
  }

  @Get(':callId')
  @ApiOperation({
    operationId: 'downloadRecording',
    summary: 'Download a recording',
    description:
      'The target of `recording_url`; takes no token. A link that expired or was changed, and a call that was deleted, are all 404. Ranges are supported.',
  })
  @SignedLink()
  @ApiProduces('audio/wav', 'application/json')
  @ApiResponse({ status: 200, description: 'The recording.', content: wav() })
  @ApiResponse({ status: 206, description: 'The bytes that were asked for.', content: wav() })
  @ApiResponse({ status: 416, description: 'The range lies outside the recording.' })
  @ApiErrors(404, 429)
  async download(
    @Param('callId') callId: string,
    @Query('expires') expires = '',
    @Query('signature') signature = '',
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const recording = await this.permitted(callId, expires, signature);
    const size = recording.recording_key === null ? undefined : await this.storage.size(recording.recording_key);
    if (recording.recording_key === null || size === undefined) throw new NotFound('Recording');
    const range = rangeOf(request.headers.range, size);
    const isRead = range !== 'outside' && request.method !== 'HEAD';
    const file = isRead ? await this.storage.open(recording.recording_key, range) : undefined;
    // Before any header: what is deleted in this moment is an answer of JSON.
    if (isRead && !file) throw new NotFound('Recording');
    response.set({
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, no-store',
      'Content-Disposition': `attachment; filename="${recording.id}.wav"`,
      'Content-Type': 'audio/wav',
    });
    if (range === 'outside') return void response.status(416).set('Content-Range', `bytes */${size}`).end();
    if (range) response.status(206).set('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
    response.set('Content-Length', String(range ? range.end - range.start + 1 : size));
    if (!file) return void response.end();
    await sendStream(file.stream, response);
  }

  private async permitted(callId: string, expires: string, signature: string): Promise<RecordingRow> {
    const recording = isUuid(callId) ? await findRecording(this.pool, callId) : undefined;
    if (!recording || !this.signer.verify(recording, expires, signature)) throw new NotFound('Recording');
    return recording;
  }
}

function wav() {
  return { 'audio/wav': { schema: { type: 'string' as const, format: 'binary' } } };
}
