import { LiveCallsService } from '@app/calls';
import { Controller, Get, HttpException, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, Scopes } from '../../auth/auth.decorators.js';
import { ApiErrors } from '../../http/responses/api-errors.js';
import { ApiCallId, CallId } from '../../http/validation/path-params.js';

const DESCRIPTION =
  'A WebSocket with the audio of a live call, for people who listen, whisper or take over, and for programs (a media fork). Offer the ' +
  'subprotocol `trunkline.v1`; browsers, which cannot send headers, offer `token.<token>` as well. Frames of 20 ms arrive as binary messages, ' +
  'two channels interleaved: the other party left, the agent right. Pauses of the recording and secret digits are silence, and calls whose ' +
  'recordings are redacted are silent for listeners. With the scope `calls:write`, `{"type":"take_over"}` and frames of one channel speak to the ' +
  'other party instead of the agent until `hand_back` or the end of the connection; `whisper` speaks to the colleague of a warm transfer or a ' +
  'conference only. 20 can listen to one call. The messages are described in the guide for supervisors.';

/** The WebSocket of a live call is opened by CallListeningService; a request without an upgrade ends here. */
@ApiTags('Calls')
@Controller('api/v1/calls/:callId/audio')
export class CallAudioController {
  constructor(private readonly calls: LiveCallsService) {}

  @Get()
  @Scopes('calls:listen')
  @ApiOperation({ operationId: 'listenToCall', summary: 'Listen to a live call', description: DESCRIPTION })
  @ApiCallId()
  @ApiQuery({
    name: 'format',
    required: false,
    description: '`l16`: 16-bit little-endian samples at 16 kHz. `pcmu`: G.711 µ-law at 8 kHz.',
    schema: { type: 'string', enum: ['l16', 'pcmu'], default: 'l16' },
  })
  @ApiResponse({ status: 101, description: 'The connection is a WebSocket from here on.' })
  @ApiErrors(404, 409, 426)
  async listen(
    @AccountId() accountId: number,
    @CallId() callId: string,
    @Query('format') _format: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<never> {
    await this.calls.find(accountId, callId);
    response.setHeader('Upgrade', 'websocket').setHeader('Connection', 'Upgrade');
    throw new HttpException('This route is a WebSocket: connect with the subprotocol trunkline.v1.', 426);
  }
}
