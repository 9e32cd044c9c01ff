import { AddressGuard } from '@app/auth';
import { RecordingsService } from '@app/calls';
import type { ByteRange } from '@app/storage';
import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../http/responses/api-errors.js';
import { sendStream } from '../http/server/long-requests.js';
import { ApiSignedLink } from '../http/validation/path-params.js';

@ApiTags('Call results')
@Controller('api/v1/recordings')
@UseGuards(AddressGuard)
export class RecordingsController {
  constructor(private readonly recordings: RecordingsService) {}

  @Get(':callId')
  @ApiOperation({
    operationId: 'downloadRecording',
    summary: 'Download a recording',
    description:
      'Target of `recording_url`; requires no token. Returns 404 for an expired or modified link and for a deleted call. Range requests are supported.',
  })
  @ApiSignedLink()
  @ApiProduces('audio/wav', 'application/json')
  @ApiResponse({ status: 200, description: 'The recording.', content: wav() })
  @ApiResponse({ status: 206, description: 'The requested bytes.', content: wav() })
  @ApiResponse({ status: 416, description: 'The range is outside the recording.' })
  @ApiErrors(404, 429)
  async download(
    @Param('callId') callId: string,
    @Query('expires') expires = '',
    @Query('signature') signature = '',
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const recording = await this.recordings.find(callId, { expires, signature });
    const { size } = recording;
    const range = rangeOf(request.headers.range, size);
    const isRead = range !== 'outside' && request.method !== 'HEAD';
    // Opened before any header is sent: a recording deleted at this moment returns a JSON error.
    const content = isRead ? await this.recordings.open(recording, range) : undefined;
    response.set({
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, no-store',
      'Content-Disposition': `attachment; filename="${recording.callId}.wav"`,
      'Content-Type': 'audio/wav',
    });
    if (range === 'outside') return void response.status(416).set('Content-Range', `bytes */${size}`).end();
    if (range) response.status(206).set('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
    response.set('Content-Length', String(range ? range.end - range.start + 1 : size));
    if (!content) return void response.end();
    await sendStream(content, response);
  }
}

function wav() {
  return { 'audio/wav': { schema: { type: 'string' as const, format: 'binary' } } };
}

/**
 * The part of a file of `size` bytes that a Range header requests (RFC 9110 §14.1.2). Undefined: the whole file, also for
 * unsupported ranges (several ranges, other units). `outside`: the range starts after the end.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return Number(last) === 0 ? 'outside' : { start: Math.max(0, size - Number(last)), end: size - 1 };
  const start = Number(first);
  if (start >= size) return 'outside';
  if (last !== '' && Number(last) < start) return undefined;
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
